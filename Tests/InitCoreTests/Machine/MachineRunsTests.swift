import InitWords
import Testing

@testable import InitCore

/// S12, S13, S15–S17: the reports and results of runs, and their effects.
@Suite("Runs")
struct MachineRunsTests {
  @Test(
    "S12: a cancelled run never counts, whatever it reports",
    arguments: [RunResult.success, .failure(.exit(status: 1))])
  func cancelledNeverCounts(result: RunResult) throws {
    var story = Story([active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    #expect(try story.tell(.runFinished(run: 1, result)) == ["pass 2 active cancelled"])
    #expect(story.status("z") == .cancelled)
    #expect(story.machine.outcome(of: "z") == .cancelled)
  }

  @Test("S12: late results and progress are recognised by run number and dropped")
  func late() throws {
    var story = Story([active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    #expect(try story.progress("z", 0.5, "late") == [])
    #expect(story.machine.initializer(named: "z")?.run?.progress == nil)
    _ = try story.finish("z")
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.runFinished(run: 1, .success)) == [])
    #expect(try story.tell(.runProgressed(run: 1, fraction: 0.9, message: nil, extend: nil)) == [])
    #expect(story.status("z") == .running)
  }

  @Test("S12: an initializer whose run was cancelled runs again in the next pass")
  func cancelledRunsAgain() throws {
    var story = Story([active("y"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("y")
    _ = try story.tell(.deactivated)
    _ = try story.finish("z")
    #expect(try story.tell(.activated(hold: nil)) == ["pass 3 active started", "app active", "run 3 y"])
    #expect(try story.finish("y") == ["run 4 z"])
  }

  @Test("S13: a cancelled run occupies its place until it has stopped, and is killed once after cancelGrace")
  func occupies() throws {
    var story = Story([active("y"), active("z")], .init(concurrency: 2, cancelGrace: .seconds(5)))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.finish("y") == [])
    #expect(story.machine.isActiveStopping)
    #expect(story.machine.nextDeadline == .seconds(5))
    #expect(try story.wait(.seconds(4)) == [])
    #expect(try story.wait(.seconds(1)) == ["kill 2"])
    #expect(try story.wait(.seconds(60)) == [])
    #expect(story.machine.nextDeadline == nil)
    #expect(try story.finish("z") == ["pass 2 active cancelled", "pass 3 active started", "run 3 y", "run 4 z"])
    #expect(!story.machine.isActiveStopping)
  }

  @Test(
    "S15: a run that takes longer than its timeout is asked to stop, occupies its place, and fails whatever it answers")
  func timeout() throws {
    var story = Story([launch("a").timeout(.seconds(3)), launch("b")])
    _ = try story.tell(.started)
    #expect(story.machine.nextDeadline == .seconds(3))
    #expect(try story.wait(.seconds(3)) == ["cancel 1 timeout"])
    #expect(story.statuses == [.stopping, .waiting])
    let failure = "a failed: timed out after 3 s"
    #expect(
      try story.finish("a") == [
        "pass 1 launch failed (\(failure))", "launch failed (\(failure)), state failed (\(failure))",
      ])
  }

  @Test(
    "S31: a try in vain is a progress message if it failed in another way than the one before, and the words of a timeout"
  )
  func tries() throws {
    var story = Story([launch("a").timeout(.seconds(3)).retry(2, after: .seconds(1))], as: .waitFor)
    _ = try story.tell(.started)
    let first = try story.world.take(.runTried(run: 1, failure: "refused", tries: 1))
    #expect(first.count == 1)
    #expect(story.machine.initializer(named: "a")?.run?.progress?.message == "refused")
    #expect(try story.world.take(.runTried(run: 1, failure: "refused", tries: 2)) == [])
    #expect(try story.world.take(.runTried(run: 1, failure: "no answer", tries: 3)).count == 1)
    _ = try story.wait(.seconds(3))
    #expect(try story.world.take(.runTried(run: 1, failure: "late", tries: 4)) == [])
    _ = try story.finish("a")
    #expect(
      story.machine.initializer(named: "a")?.failure?.description
        == "a failed: timed out after 3 s: no answer (3 tries)")
    #expect(try story.wait(.seconds(1)) == ["run 2 a"])
    #expect(try story.world.take(.runTried(run: 2, failure: "refused", tries: 1)).count == 1)
    #expect(
      try story.wait(.seconds(3)) == ["cancel 2 timeout"], "the last attempt fails with the words of its own tries")
    #expect(
      try story.finish("a").first
        == "pass 1 launch failed (a failed: timed out after 3 s: refused (1 try))")
  }

  @Test("S31: what is waited for is never remembered")
  func notRemembered() throws {
    var story = Story([(launch("a"), .waitFor), (launch("b", "a"), .command)])
    _ = try story.tell(.remembered(["a", "b"]))
    #expect(try story.tell(.started).contains("run 1 a"))
  }

  @Test("S15: once the timed-out run has stopped it may be retried, and not before")
  func timeoutRetried() throws {
    var story = Story([launch("a").timeout(.seconds(3)).retry(2, after: .seconds(1))])
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(3))
    #expect(try story.wait(.seconds(4)) == [])
    #expect(try story.finish("a") == [])
    #expect(try story.wait(.seconds(1)) == ["run 2 a"])
    #expect(story.machine.nextDeadline == .seconds(11))
  }

  @Test("S15, S17: the words of a timeout are the last message of the attempt's progress")
  func timeoutTellsProgress() throws {
    var story = Story([launch("a").timeout(.seconds(3)).retry(2, after: .seconds(1))])
    _ = try story.tell(.started)
    _ = try story.progress("a", 0.1, "first rows")
    _ = try story.progress("a", 0.5, "half of the rows")
    _ = try story.progress("a", 0.6)
    #expect(try story.wait(.seconds(3)) == ["cancel 1 timeout"])
    _ = try story.progress("a", 0.9, "late")
    _ = try story.finish("a")
    let half = Cause.timeout(after: .seconds(3), message: "half of the rows")
    #expect(story.machine.initializer(named: "a")?.failure == .initializerFailed("a", half))
    // The next attempt has a deadline of its own.
    _ = try story.wait(.seconds(1))
    #expect(try story.wait(.seconds(3)) == ["cancel 2 timeout"])
    #expect(try story.finish("a").first == "pass 1 launch failed (a failed: timed out after 3 s)")
  }

  @Test("S15: if its pass is cancelled while a timed-out run is stopping, it is cancelled")
  func timeoutCancelled() throws {
    var story = Story([active("z").timeout(.seconds(3)).retry(2)])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.wait(.seconds(3))
    #expect(story.machine.cancellable == ["z"])
    #expect(try story.tell(.deactivated) == ["app inactive"])
    #expect(try story.fail("z") == ["pass 2 active cancelled"])
    #expect(story.status("z") == .cancelled)
  }

  @Test("S15: a timed-out run in a pass that fails in the meantime has failed, with cause timeout")
  func timeoutInFailingPass() throws {
    var story = Story([launch("a").timeout(.seconds(3)).retry(2), launch("b")], .init(concurrency: 2))
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(3))
    #expect(try story.fail("b") == [])
    #expect(try story.finish("a").first == "pass 1 launch failed (b failed: exit status 1)")
    #expect(
      story.machine.initializer(named: "a")?.failure == .initializerFailed("a", .timeout(after: .seconds(3))))
  }

  @Test("S15: when the last attempt times out, the first error is known, and other runs are cancelled at once")
  func timeoutStopsOthers() throws {
    var story = Story([launch("a").timeout(.seconds(3)), launch("b")], .init(concurrency: 2))
    _ = try story.tell(.started)
    #expect(try story.wait(.seconds(3)) == ["cancel 1 timeout", "cancel 2 failed"])
    #expect(try story.finish("b") == [])
    #expect(try story.finish("a").first == "pass 1 launch failed (a failed: timed out after 3 s)")
  }

  @Test("S8, S15: if an optional initializer times out, only it fails: other runs aren't cancelled")
  func timeoutOfOptional() throws {
    var story = Story([launch("a").timeout(.seconds(3)).optional(), launch("b")], .init(concurrency: 2))
    _ = try story.tell(.started)
    #expect(try story.wait(.seconds(3)) == ["cancel 1 timeout"])
    #expect(try story.finish("a") == [])
    #expect(try story.finish("b") == ["pass 1 launch complete", "launch complete"])
    #expect(story.statuses == [.failed, .complete])
  }

  @Test("S15: a progress report can extend the deadline, by a duration from now")
  func extend() throws {
    var story = Story([launch("a").timeout(.seconds(3))])
    _ = try story.tell(.started)
    #expect(try story.wait(.seconds(2)) == [])
    #expect(try story.progress("a", extend: .seconds(10)) == [])
    #expect(story.machine.nextDeadline == .seconds(12))
    #expect(try story.wait(.seconds(9)) == [])
    #expect(try story.wait(.seconds(1)) == ["cancel 1 timeout"])
    #expect(try story.finish("a").first == "pass 1 launch failed (a failed: timed out after 12 s)")
  }

  @Test("S15: a run without a timeout may take any time")
  func noTimeout() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    #expect(story.machine.nextDeadline == nil)
    _ = try story.progress("a", 0.5, extend: .seconds(1))
    #expect(story.machine.nextDeadline == nil)
    #expect(try story.wait(.seconds(1_000_000)) == [])
  }

  @Test("S16: an attempt that is due when its pass fails is cancelled at once, as one that isn't due yet")
  func dueAtFailure() throws {
    var story = Story([launch("a").retry(2), launch("b").timeout(.seconds(2))], .init(concurrency: 2))
    _ = try story.tell(.started)
    _ = try story.fail("a")
    #expect(try story.wait(.seconds(2)) == ["cancel 2 timeout"])
    #expect(story.status("a") == .cancelled)
  }

  @Test("S16: a failed run is retried after its delay, up to the number of attempts, before the pass fails")
  func retry() throws {
    var story = Story([
      Declaration("a", retry: RetryPolicy(attempts: 3, delay: .seconds(10), factor: 3, maxDelay: .seconds(20)))
    ])
    _ = try story.tell(.started)
    #expect(try story.fail("a") == [])
    #expect(story.status("a") == .waiting)
    #expect(story.machine.initializer(named: "a")?.failure == .initializerFailed("a", .exit(status: 1)))
    let first = try #require(story.machine.nextDeadline)
    #expect(first >= .seconds(10) && first <= .seconds(11))
    #expect(try story.wait(.seconds(9)) == [])
    #expect(try story.wait(.seconds(2)) == ["run 2 a"])
    #expect(story.machine.initializer(named: "a")?.failure == nil)
    #expect(story.machine.initializer(named: "a")?.run?.attempt == 2)
    _ = try story.fail("a")
    #expect(story.machine.nextDeadline == .seconds(31))
    #expect(try story.wait(.seconds(20)) == ["run 3 a"])
    #expect(try story.fail("a", .signal("SIGSEGV")).first == "pass 1 launch failed (a failed: terminated by SIGSEGV)")
  }

  @Test("S16: each attempt has the full timeout")
  func timeoutOfEachAttempt() throws {
    var story = Story([launch("a").timeout(.seconds(3)).retry(2, after: .seconds(1))])
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(2))
    _ = try story.fail("a")
    #expect(try story.wait(.seconds(1)) == ["run 2 a"])
    #expect(story.machine.nextDeadline == .seconds(6))
  }

  @Test("S16: the delay occupies the initializer's place: with concurrency 1 nothing else starts")
  func delayKeepsPlace() throws {
    var story = Story([launch("a").retry(2), launch("b")])
    _ = try story.tell(.started)
    #expect(try story.fail("a") == [])
    #expect(try story.wait(.seconds(1)) == ["run 2 a"])
    #expect(try story.finish("a") == ["run 3 b"])
  }

  @Test(
    "S16: after the delay the initializer still has its place, even if one that precedes it has become ready in the meantime"
  )
  func keptPlace() throws {
    var story = Story([launch("a", "b"), launch("b"), launch("c").retry(2)], .init(concurrency: 2))
    #expect(try story.tell(.started).suffix(2) == ["run 1 b", "run 2 c"])
    #expect(try story.fail("c") == [])
    story.world.now += .seconds(1)
    // In one step, b ends, which allows another run, and the delay ends.
    #expect(try story.finish("b") == ["run 3 a"])
    #expect(try story.tell(.timePassed) == ["run 4 c"])
    var alone = Story([(launch("w"), .worker), (launch("c").retry(2), .command)], .init(acceptsWorkers: true))
    #expect(try alone.tell(.started).last == "run 1 c")
    _ = try alone.fail("c")
    #expect(try alone.register(1, ["w"]) == [])
    #expect(try alone.wait(.seconds(1)) == ["run 2 c"])
  }

  @Test("S16: if a pass ends during the delay, by an error or by a cancellation, the delay ends too")
  func delayEnds() throws {
    var failing = Story([launch("a").retry(2), launch("b")], .init(concurrency: 2))
    _ = try failing.tell(.started)
    _ = try failing.fail("a")
    #expect(try failing.fail("b").first == "pass 1 launch failed (b failed: exit status 1)")
    #expect(failing.machine.nextDeadline == nil)
    #expect(failing.status("a") == .cancelled)

    var cancelled = Story([active("z").retry(2)])
    _ = try cancelled.tell(.started)
    _ = try cancelled.tell(.activated(hold: nil))
    _ = try cancelled.fail("z")
    #expect(cancelled.machine.cancellable == ["z"])
    #expect(try cancelled.tell(.deactivated) == ["pass 2 active cancelled", "app inactive"])
    #expect(cancelled.machine.nextDeadline == nil)
    #expect(try cancelled.wait(.seconds(10)) == [])
  }

  @Test("S16: a cancelled run is not retried")
  func cancelledIsNotRetried() throws {
    var story = Story([active("z").retry(3)])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    #expect(try story.fail("z") == ["pass 2 active cancelled"])
    #expect(story.machine.nextDeadline == nil)
  }

  @Test("S16: after a successful retry, the error isn't shown any more")
  func retrySucceeds() throws {
    var story = Story([launch("a").retry(2)])
    _ = try story.tell(.started)
    _ = try story.fail("a")
    _ = try story.wait(.seconds(1))
    #expect(try story.finish("a") == ["pass 1 launch complete", "launch complete"])
    #expect(story.machine.initializer(named: "a")?.failure == nil)
  }

  @Test("S17: progress is a fraction from 0 to 1 that never decreases, and a message; it changes no state")
  func progress() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    for (said, shown) in [(0.25, 0.25), (0.1, 0.25), (-1, 0.25), (.nan, 0.25), (0.5, 0.5), (7, 1)] {
      #expect(try story.progress("a", said) == [])
      #expect(story.machine.initializer(named: "a")?.run?.progress?.fraction == shown)
    }
    #expect(try story.progress("a", nil, "nearly") == [])
    #expect(story.machine.initializer(named: "a")?.run?.progress == RunProgress(fraction: 1, message: "nearly"))
    // An empty message removes the last message.
    #expect(try story.progress("a", nil, "") == [])
    #expect(story.machine.initializer(named: "a")?.run?.progress == RunProgress(fraction: 1, message: nil))
  }

  @Test("S17: each progress report is published, even if it repeats the last one")
  func progressNotices() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    let half = Event.runProgressed(run: 1, fraction: 0.5, message: nil, extend: nil)
    #expect(try story.world.take(half).count == 1)
    #expect(try story.world.take(half).count == 1)
    #expect(try story.world.take(.runProgressed(run: 1, fraction: nil, message: nil, extend: .seconds(1))) == [])
  }

  @Test("S2: the end of a run is published even if the next pass already waits for its initializer")
  func endBeforeTheNext() throws {
    var story = Story([launch("a", "b"), active("b")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    let effects = try story.world.take(.runFinished(run: 1, .success))
    let told = effects.compactMap { effect -> InitializerSnapshot? in
      if case .publish(.initializer(let snapshot)) = effect, snapshot.declaration.name == "b" { snapshot } else { nil }
    }
    #expect(told.map(\.status) == [.complete, .waiting])
    #expect(told.map { $0.run?.id } == [1, nil])
  }

  @Test("S16: an initializer whose next attempt never started is cancelled; one that never ran isn't")
  func noFurtherAttempt() throws {
    var story = Story(
      [(active("x").retry(3), .command)], Machine.Configuration(acceptsWorkers: true))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("x")
    _ = try story.register(1, ["late"])
    _ = try story.wait(.seconds(2))
    _ = try story.fail("late")
    #expect(story.machine.initializer(named: "x")?.status == .cancelled)
  }

  @Test("Run records have the time of readiness, the time of the start, and the dependencies waited for")
  func records() throws {
    var story = Story([launch("a"), launch("b", "a"), launch("c")])
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(2))
    _ = try story.finish("a")
    _ = try story.wait(.seconds(3))
    let effects = try story.world.take(.runFinished(run: 2, .success))
    let record = RunRecord(
      run: 2, initializer: "b", attempt: 1, pass: 1, phase: .launch, ready: .seconds(2), started: .seconds(2),
      duration: .seconds(3), outcome: .complete, waitedFor: ["a"], freed: RunEnd("a", at: .seconds(2)))
    #expect(effects.contains(.publish(.runEnded(record))))
    let last = try story.world.take(.runFinished(run: 3, .failure(.exit(status: 1))))
    let failed = RunRecord(
      run: 3, initializer: "c", attempt: 1, pass: 1, phase: .launch, ready: .zero, started: .seconds(5),
      duration: .zero, outcome: .failed(.exit(status: 1)), waitedFor: [], freed: RunEnd("b", at: .seconds(5)))
    #expect(last.contains(.publish(.runEnded(failed))))
  }

  @Test("The record of a worker's run has the time of the registration")
  func provided() throws {
    var story = Story([launch("a")], Machine.Configuration(acceptsWorkers: true))
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(2))
    _ = try story.register(1, ["w"])
    _ = try story.wait(.seconds(1))
    _ = try story.finish("a")
    #expect(story.machine.runsInFlight(ofPass: 1, at: .seconds(4)).map(\.provided) == [.seconds(2)])
    #expect(story.machine.runsInFlight(ofPass: 1, at: .seconds(4)).map(\.duration) == [.seconds(1)])
    #expect(story.machine.runsInFlight(ofPass: 1, at: .seconds(4)).map(\.outcome) == [nil])
    #expect(story.machine.runsInFlight(ofPass: 2, at: .seconds(4)).isEmpty)
  }

  @Test("S16: between two attempts a snapshot says when the next starts, and later when the first started")
  func nextAttempt() throws {
    var story = Story([launch("a").retry(2, after: .seconds(3))])
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(1))
    _ = try story.fail("a")
    #expect(story.machine.initializer(named: "a")?.nextAttempt == .seconds(4))
    _ = try story.wait(.seconds(3))
    let snapshot = story.machine.initializer(named: "a")
    #expect(snapshot?.nextAttempt == nil)
    #expect(snapshot?.run?.started == .seconds(4) && snapshot?.run?.firstStarted == .zero)
  }

  private func records(_ effects: [Effect]) -> [RunRecord] {
    effects.compactMap { if case .publish(.runEnded(let record)) = $0 { record } else { nil } }
  }

  @Test("S16: the record of a failed attempt has the number of attempts, and the delay until the next one")
  func attempts() throws {
    var story = Story([launch("a").retry(2, after: .seconds(3)), launch("b", "a")])
    _ = try story.tell(.started)
    let first = records(try story.world.take(.runFinished(run: 1, .failure(.exit(status: 1)))))
    #expect(first.map(\.attempts) == [2] && first.map(\.nextAttempt) == [.seconds(3)])
    _ = try story.wait(.seconds(3))
    let second = records(try story.world.take(.runFinished(run: 2, .failure(.exit(status: 1)))))
    #expect(second.map(\.attempts) == [2] && second.map(\.nextAttempt) == [nil])
  }

  @Test("The record of a cancelled run has the reason: a failure, deactivation, unregistration or shutdown")
  func cancellations() throws {
    func why(_ effects: [Effect]) -> [RunRecord.Cancellation?] { records(effects).map(\.cancelled) }
    func story(_ events: Event...) throws -> Story {
      var story = Story([active("a"), active("b")], .init(concurrency: 2))
      for event in [.started, .activated(hold: nil)] + events { _ = try story.tell(event) }
      return story
    }
    let second = Event.runFinished(run: 2, .success)
    var failing = try story(.runFinished(run: 1, .failure(.exit(status: 3))))
    var both = failing
    #expect(why(try failing.world.take(second)) == [.failed(.initializerFailed("a", .exit(status: 3)))])
    _ = try both.tell(.deactivated)
    #expect(why(try both.world.take(second)) == [.deactivated], "S14: the pass ends cancelled")
    var deactivated = try story(.deactivated)
    #expect(why(try deactivated.world.take(second)) == [.deactivated])
    var ending = try story(.shutdownRequested)
    #expect(why(try ending.world.take(second)) == [.shutdown])
    var unregistered = Story([])
    _ = try unregistered.tell(.started)
    _ = try unregistered.register(1, ["w"])
    _ = try unregistered.tell(.workerUnregistered(by: 1, ["w"]))
    #expect(why(try unregistered.world.take(.runFinished(run: 1, .success))) == [.unregistered])
  }
}
