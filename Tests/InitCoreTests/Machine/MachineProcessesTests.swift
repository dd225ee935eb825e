import InitWords
import Testing

@testable import InitCore

/// S32: processes whose start is an initializer.
@Suite("Processes")
struct MachineProcessesTests {
  private func started(_ declared: [(Declaration, ProviderKind)]) throws -> Story {
    var story = Story(declared)
    _ = try story.tell(.started)
    return story
  }

  @Test("S32: when its process ends, it runs again in a new pass, and its dependents don't")
  func again() throws {
    var story = try started([(launch("b", "web"), .command), (launch("web"), .process)])
    _ = try story.finish("web")
    _ = try story.finish("b")
    #expect(
      try story.tell(.processEnded("web")) == ["pass 2 launch started", "launch pending", "run 3 web"])
    #expect(try story.finish("web") == ["pass 2 launch complete", "launch complete"])
    #expect(story.status("b") == .complete)
  }

  @Test("S32: if its process ends in the pass in which it was ready, it runs again in the next one (S7)")
  func inItsPass() throws {
    var story = try started([(launch("web"), .process), (launch("b", "web"), .command)])
    _ = try story.finish("web")
    #expect(try story.tell(.processEnded("web")) == [])
    #expect(try story.finish("b") == ["pass 1 launch complete", "pass 2 launch started", "run 3 web"])
    #expect(story.machine.states.launch.state == .pending)
  }

  @Test("S6, S32: if its process ends, what needs it and hasn't started waits for its next run, in the same pass")
  func dependentsWait() throws {
    for reruns in [false, true] {
      let web = reruns ? launch("web").rerunningDependents() : launch("web")
      var story = try started([
        (launch("a"), .command), (web, .process), (launch("b", "web"), .command), (launch("c", "web"), .command),
      ])
      _ = try story.finish("a")
      _ = try story.finish("web")
      #expect(story.status("b") == .running)
      #expect(try story.tell(.processEnded("web")) == ["run 4 web"])
      #expect(try story.finish("b") == [])
      #expect(story.status("c") == .waiting)
      #expect(story.machine.initializer(named: "b")?.isStale == true)
      #expect(try story.finish("web") == ["run 5 c"])
      // It ran in this pass, and nothing there waits for it, so it runs again in the next one (S7).
      let again = ["pass 1 launch complete", "pass 2 launch started", "run 6 b"]
      #expect(try story.finish("c") == (reruns ? again : ["pass 1 launch complete", "launch complete"]))
      if reruns { #expect(try story.finish("b") == ["pass 2 launch complete", "launch complete"]) }
    }
  }

  @Test("S19, S32: if its process was ready in an earlier pass, it joins the pass in flight, and its dependents wait")
  func joinsPass() throws {
    let web = launch("web").rerunningDependents()
    var story = try started([(launch("a"), .command), (web, .process)])
    _ = try story.finish("a")
    _ = try story.finish("web")
    _ = try story.tell(.rerunRequested(["a"], withDependents: false))
    _ = try story.tell(.reloaded(Reload(added: [.init(launch("b", "web"), .command)])))
    #expect(try story.tell(.processEnded("web")) == ["run 4 web"])
    #expect(try story.finish("a") == [])
    #expect(try story.finish("web") == ["run 5 b"])
    #expect(try story.finish("b") == ["pass 2 launch complete", "launch complete"])
  }

  @Test("S28, S32: if the pass fails, what waited for the process wasn't run because of that")
  func dependentsNotRun() throws {
    var story = try started([
      (launch("web"), .process), (launch("a"), .command), (launch("b", "web", "a"), .command),
    ])
    _ = try story.finish("web")
    #expect(try story.tell(.processEnded("web")) == ["run 3 web"])
    #expect(story.status("b") == .waiting)
    #expect(try story.fail("a").first == "cancel 3 failed")
    _ = try story.tell(.runFinished(run: 3, .success))
    #expect(story.status("b") == .notRun)
    #expect(story.machine.initializer(named: "b")?.blockedBy == "a")
  }

  @Test("S32: the end of a process that isn't ready, or of no process, changes nothing")
  func otherEnds() throws {
    var story = try started([(launch("web"), .process), (launch("a"), .command)])
    #expect(try story.tell(.processEnded("web")) == [], "its run is in flight")
    _ = try story.finish("web")
    _ = try story.finish("a")
    #expect(try story.tell(.processEnded("a")) == [])
    #expect(try story.tell(.processEnded("nobody")) == [])
    #expect(story.machine.states.launch.state == .complete)
  }

  @Test("S26, S32: what depends on a process that has ended is stale, and runs again only with onRestart: rerun")
  func dependents() throws {
    for reruns in [false, true] {
      let web = reruns ? launch("web").rerunningDependents() : launch("web")
      var story = try started([
        (launch("c", "b"), .command), (launch("b", "web"), .command), (web, .process), (launch("a"), .command),
      ])
      for name in ["web", "a", "b", "c"] { _ = try story.finish(name) }
      _ = try story.tell(.processEnded("web"))
      #expect(story.machine.initializer(named: "c")?.isStale == !reruns)
      if reruns {
        #expect(try story.finish("web") == ["run 6 b"])
        #expect(try story.finish("b") == ["run 7 c"])
        #expect(try story.finish("c") == ["pass 2 launch complete", "launch complete"])
      } else {
        #expect(try story.finish("web") == ["pass 2 launch complete", "launch complete"])
      }
      #expect(story.status("c") == .complete)
      #expect(story.machine.initializer(named: "c")?.isStale == !reruns)
    }
  }

  @Test("S32: with onRestart: rerun, dependents in the pass in flight run again in the next one")
  func rerunAfterPass() throws {
    var story = try started([(launch("web").rerunningDependents(), .process), (launch("b", "web"), .command)])
    _ = try story.finish("web")
    #expect(try story.tell(.processEnded("web")) == [])
    #expect(try story.finish("b") == ["pass 1 launch complete", "pass 2 launch started", "run 3 web"])
    #expect(try story.finish("web") == ["run 4 b"])
    #expect(try story.finish("b") == ["pass 2 launch complete", "launch complete"])
  }

  @Test("S26, S27, S32: if its process ends while it is due again, the run after that is the one for which it is due")
  func dueAndEnded() throws {
    var story = try started([(launch("slow"), .command), (launch("web", "slow"), .process)])
    for name in ["slow", "web"] { _ = try story.finish(name) }
    _ = try story.tell(.rerunRequested(["slow"], withDependents: false))
    _ = try story.tell(.rerunRequested(["web"], withDependents: false))
    _ = try story.tell(.processEnded("web"))
    if story.status("web") != .running { #expect(try story.finish("slow").last == "run 4 web") }
    #expect(
      try story.finish("web") == [
        "pass 2 launch complete", "pass 3 launch started", "pass 3 launch complete", "launch complete",
      ])
    #expect(story.status("web") == .complete)
  }

  @Test("S32: with onRestart: rerun, active dependents run again in an active pass while the app is active")
  func rerunOfActive() throws {
    for isActive in [true, false] {
      var story = try started([(launch("web").rerunningDependents(), .process), (active("b", "web"), .command)])
      _ = try story.finish("web")
      if isActive {
        _ = try story.tell(.activated(hold: nil))
        _ = try story.finish("b")
      }
      _ = try story.tell(.processEnded("web"))
      let after = try story.finish("web")
      #expect(after.contains { $0.hasPrefix("run") } == isActive)
      if isActive { #expect(try story.finish("b").contains { $0.hasSuffix("active complete") }) }
    }
  }

  @Test("S32: with onRestart: rerun, no pass begins after launch has failed")
  func noRerunAfterFailure() throws {
    var story = try started([
      (launch("a"), .command), (launch("web").rerunningDependents(), .process), (launch("b", "web"), .command),
    ])
    _ = try story.fail("a")
    _ = try story.tell(.runFinished(run: 2, .success))
    #expect(try story.tell(.processEnded("web")) == [])
    _ = try story.tell(.launched)
    _ = try story.finish("a")
    _ = try story.finish("web")
    _ = try story.fail("b")
    #expect(try story.tell(.processEnded("web")) == [])
    #expect(try story.tell(.launched).contains("run 6 web"))
  }

  @Test("S24, S32: the end of a process at the shutdown begins no pass")
  func shutdown() throws {
    var story = try started([(launch("web"), .process)])
    _ = try story.finish("web")
    _ = try story.tell(.shutdownRequested)
    #expect(try story.tell(.processEnded("web")) == [])
  }

  @Test("S31, S32: no state directory remembers it")
  func notRemembered() throws {
    var story = Story([(launch("web"), .process)])
    _ = try story.tell(.remembered(["web"]))
    #expect(try story.tell(.started).contains("run 1 web"))
  }

  private func waiting(
    _ declared: [(Declaration, ProviderKind)], keepsGoing: Bool = false, _ standing: ProcessStanding? = nil
  ) throws -> Story {
    var story = Story(
      declared, Machine.Configuration(concurrency: 2, acceptsWorkers: true, keepsGoing: keepsGoing))
    if let standing { _ = try story.tell(.processChanged("django", standing)) }
    _ = try story.tell(.started)
    return story
  }

  @Test(
    "S20, S32: registrationTimeout doesn't bound the wait for a process that lives, and bounds it for one that doesn't")
  func waitForProcess() throws {
    let declared: [(Declaration, ProviderKind)] = [(launch("a").process("django"), .worker)]
    var story = try waiting(declared, .alive)
    #expect(story.machine.nextDeadline == nil)
    _ = try story.wait(.seconds(3600))
    #expect(story.status("a") == .waiting)
    _ = try story.tell(.processChanged("django", .idle))
    #expect(story.machine.nextDeadline == .seconds(3610))
    _ = try story.tell(.processChanged("django", .alive))
    #expect(story.machine.nextDeadline == nil)
    #expect(try story.register(1, ["a"]) == ["run 1 a"])
    story = try waiting(declared)
    _ = try story.wait(.seconds(10))
    #expect(story.machine.initializer(named: "a")?.failure == .initializerFailed("a", .workerLost))
  }

  @Test("S32: its own timeout bounds the wait for its process, and then its run")
  func timeoutOfWait() throws {
    let cause = Cause.timeout(after: .seconds(30), message: "django has not registered it")
    for isOptional in [false, true] {
      let a = launch("a").process("django").timeout(.seconds(30))
      var story = try waiting([(isOptional ? a.optional() : a, .worker)], .alive)
      #expect(story.machine.nextDeadline == .seconds(30))
      _ = try story.wait(.seconds(29))
      #expect(story.status("a") == .waiting)
      _ = try story.wait(.seconds(1))
      #expect(story.machine.initializer(named: "a")?.failure == .initializerFailed("a", cause))
      #expect(story.machine.states.launch.state == (isOptional ? .complete : .failed(.initializerFailed("a", cause))))
      #expect(story.machine.nextDeadline == nil)
    }
    var story = try waiting([(launch("a").process("django").timeout(.seconds(30)), .worker)], .alive)
    _ = try story.wait(.seconds(20))
    _ = try story.register(1, ["a"])
    #expect(story.machine.nextDeadline == .seconds(50))
    _ = try story.finish("a")
    #expect(story.machine.nextDeadline == nil)
  }

  @Test("S32: it fails at once with the last exit when its process has ended for good, even if others still run")
  func endedForGood() throws {
    let failure = Failure.initializerFailed("a", .exit(status: 3))
    var story = try waiting(
      [(launch("a").process("django"), .worker), (launch("b"), .command)], keepsGoing: true, .alive)
    _ = try story.tell(.processChanged("django", .ended(.exit(status: 3))))
    #expect(story.machine.nextDeadline == story.world.now)
    _ = try story.wait(.zero)
    #expect(story.machine.initializer(named: "a")?.failure == failure)
    #expect(
      try story.finish("b") == [
        "pass 1 launch failed (\(failure))", "launch failed (\(failure)), state failed (\(failure))",
      ])
    // The process has ended before the initializer's turn has come.
    story = try waiting([(launch("a").process("django"), .worker)], .ended(.exit(status: 3)))
    _ = try story.wait(.zero)
    #expect(story.machine.initializer(named: "a")?.failure == failure)
    // The process was started again.
    _ = try story.tell(.processChanged("django", .alive))
    _ = try story.tell(.launched)
    #expect(story.machine.nextDeadline == nil && story.status("a") == .waiting)
  }

  @Test("S20, S32: registrationTimeout bounds the others that wait")
  func others() throws {
    var story = try waiting(
      [(launch("a").process("django"), .worker), (launch("b"), .worker)], keepsGoing: true, .alive)
    #expect(story.machine.nextDeadline == .seconds(10))
    _ = try story.wait(.seconds(10))
    #expect(story.statuses == [.waiting, .failed])
    #expect(story.machine.nextDeadline == nil)
  }

  @Test("S32: a process that is an initializer itself is started by its own run, which its initializers wait for")
  func ownInitializer() throws {
    var story = try waiting(
      [(launch("a").process("django"), .worker), (launch("django"), .process)], keepsGoing: true,
      .ended(.exit(status: 3)))
    #expect(story.machine.nextDeadline == nil && story.status("a") == .waiting)
    _ = try story.fail("django", .exit(status: 3))
    _ = try story.wait(.zero)
    #expect(story.machine.initializer(named: "a")?.failure == .initializerFailed("a", .exit(status: 3)))
  }

  @Test("S24, S32: at the shutdown, the end of a process changes nothing")
  func endAtShutdown() throws {
    var story = try waiting([(launch("a").process("django"), .worker)], .alive)
    _ = try story.tell(.shutdownRequested)
    #expect(try story.tell(.processChanged("django", .ended(.signal("SIGTERM")))) == [])
  }

  @Test("S32: a launch that failed because of processes is launched again once all of them are ready")
  func recovery() throws {
    var story = Story(
      [(launch("db"), .process), (launch("cache"), .process), (launch("seed", "db", "cache"), .command)],
      .init(concurrency: 2, keepsGoing: true))
    _ = try story.tell(.started)
    _ = try story.fail("db", .timeout(after: .seconds(60)))
    _ = try story.fail("cache", .timeout(after: .seconds(60)))
    #expect(story.status("seed") == .notRun)
    #expect(try story.tell(.processReady("cache")) == [])
    #expect(try story.tell(.processReady("seed")) == [], "no process")
    // One that has ended since isn't ready any more.
    _ = try story.tell(.processEnded("cache"))
    #expect(try story.tell(.processReady("db")) == [])
    #expect(
      try story.tell(.processReady("cache"))
        == ["pass 2 launch started", "launch pending, state pending", "run 3 db", "run 4 cache"])
    _ = try story.finish("db")
    #expect(try story.finish("cache") == ["run 5 seed"])
  }

  @Test("S32: a launch that something else has failed isn't launched again by itself")
  func noRecovery() throws {
    var story = Story(
      [(launch("db"), .process), (launch("check"), .command)], .init(concurrency: 2, keepsGoing: true))
    _ = try story.tell(.started)
    _ = try story.fail("db")
    _ = try story.fail("check")
    #expect(try story.tell(.processReady("db")) == [])
    #expect(story.machine.states.launch.state != .pending)
  }

  @Test("S32: a process that is ready while its failed launch is still stopping is noticed once that has ended")
  func recoveryWhileStopping() throws {
    var story = Story([(launch("db"), .process), (launch("slow"), .command)], .init(concurrency: 2))
    _ = try story.tell(.started)
    #expect(try story.fail("db").contains("cancel 2 failed"))
    #expect(try story.tell(.processReady("db")) == [])
    #expect(try story.finish("slow").contains("pass 2 launch started"))
  }
}
