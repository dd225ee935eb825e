import InitWords
import Testing

@testable import InitCore

/// S34: an operator cancels single runs.
@Suite("Cancellations by an operator")
struct MachineCancelTests {
  private func failure(_ name: String) -> Failure { .initializerFailed(name, .operator(user: "ops")) }

  @Test("S34: a cancelled run has failed, isn't retried, and fails its pass", arguments: [true, false])
  func failsItsPass(succeeds: Bool) throws {
    var story = Story([launch("a").retry(3), launch("b", "a")])
    _ = try story.tell(.started)
    #expect(try story.tell(.runsCancelled(["a"], by: "ops")) == ["cancel 1 operator"])
    #expect(story.statuses == [.stopping, .waiting])
    #expect(story.machine.cancelledRuns(of: ["a"]) == [1])
    let end = try succeeds ? story.finish("a") : story.fail("a")
    let says = "failed (a failed: cancelled by ops)"
    #expect(end == ["pass 1 launch \(says)", "launch \(says), state \(says)"])
    #expect(story.statuses == [.failed, .notRun])
    #expect(story.machine.initializer(named: "a")?.failure == failure("a"))
    #expect(story.machine.cancelledRuns(of: ["a"]) == [])
  }

  @Test("S34, S8: other runs of the pass are told at once that it has failed")
  func othersAreTold() throws {
    var story = Story([launch("a"), launch("b")], .init(concurrency: 2))
    _ = try story.tell(.started)
    #expect(try story.tell(.runsCancelled(["b"], by: "ops")) == ["cancel 2 operator", "cancel 1 failed"])
    _ = try story.finish("b")
    _ = try story.finish("a")
    #expect(story.machine.states.launch.state == .failed(failure("b")))
    #expect(story.statuses == [.cancelled, .failed])
  }

  @Test("S34, S8: without an optional one that was cancelled, the pass goes on")
  func optional() throws {
    var story = Story([launch("a").optional().retry(2), launch("b", "a").optional(), launch("c")])
    _ = try story.tell(.started)
    #expect(try story.tell(.runsCancelled(["a"], by: "ops")) == ["cancel 1 operator"])
    #expect(try story.finish("a") == ["run 2 c"])
    #expect(story.statuses == [.failed, .notRun, .running])
    #expect(try story.finish("c").last == "launch complete")
  }

  @Test("S34: one that waits for its retry ends at once", arguments: [true, false])
  func delayed(isOptional: Bool) throws {
    let a = launch("a").retry(3, after: .seconds(9))
    var story = Story([isOptional ? a.optional() : a, launch("b")])
    _ = try story.tell(.started)
    _ = try story.fail("a")
    let told = try story.tell(.runsCancelled(["a"], by: "ops"))
    if isOptional {
      #expect(told == ["run 2 b"])
    } else {
      #expect(told.first == "pass 1 launch failed (a failed: cancelled by ops)")
    }
    #expect(story.machine.initializer(named: "a")?.failure == failure("a"))
    #expect(story.machine.nextDeadline == nil)
  }

  @Test("S34: all or none, with the status of each that doesn't run")
  func allOrNone() throws {
    var story = Story([launch("a"), launch("b"), launch("c"), active("z")])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    let refusal = Refusal.notRunning([InitializerStanding("a", .complete), InitializerStanding("z", .idle)])
    #expect(throws: refusal) { try story.tell(.runsCancelled(["b", "a", "z"], by: "ops")) }
    #expect(
      "\(refusal)"
        == "cannot cancel: a is complete, z is idle; "
        + "only an initializer that is running or waiting for its retry can be cancelled")
    #expect(throws: Refusal.unknownInitializer("x")) { try story.tell(.runsCancelled(["a", "b", "x"], by: "ops")) }
    #expect(throws: Refusal.notRunning([InitializerStanding("c", .waiting)])) {
      try story.tell(.runsCancelled(["c"], by: "ops"))
    }
    #expect(story.status("b") == .running)
  }

  @Test("S34: two that are cancelled together have both failed, and the pass with the first one given")
  func together() throws {
    var story = Story([launch("a").retry(2), launch("b").retry(2, after: .seconds(9))], .init(concurrency: 2))
    _ = try story.tell(.started)
    _ = try story.fail("b")
    #expect(try story.tell(.runsCancelled(["b", "a"], by: "ops")) == ["cancel 1 operator"])
    _ = try story.finish("a")
    #expect(story.statuses == [.failed, .failed])
    #expect(story.machine.states.launch.state == .failed(failure("b")))
  }

  @Test("S34, S15: a run that has timed out can be cancelled as long as it would be retried")
  func timedOut() throws {
    var story = Story([launch("a").timeout(.seconds(1)).retry(2)])
    _ = try story.tell(.started)
    #expect(try story.wait(.seconds(1)) == ["cancel 1 timeout"])
    #expect(try story.tell(.runsCancelled(["a"], by: "ops")) == [])
    #expect(try story.finish("a").first == "pass 1 launch failed (a failed: cancelled by ops)")
    _ = try story.tell(.launched)
    _ = try story.wait(.seconds(1))
    _ = try story.finish("a")
    _ = try story.wait(.seconds(1))
    _ = try story.wait(.seconds(1))
    // This was the last attempt, so the pass has failed already.
    #expect(throws: Refusal.notRunning([InitializerStanding("a", .stopping)])) {
      try story.tell(.runsCancelled(["a"], by: "ops"))
    }
  }

  @Test("S34, S15: if the pass is cancelled before the run has stopped, the run is cancelled")
  func thenDeactivated() throws {
    var story = Story([active("z").optional(), active("y")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.runsCancelled(["z"], by: "ops"))
    #expect(throws: Refusal.notRunning([InitializerStanding("z", .stopping)])) {
      try story.tell(.runsCancelled(["z"], by: "ops"))
    }
    #expect(story.machine.cancellable == ["z"])
    _ = try story.tell(.deactivated)
    #expect(try story.finish("z") == ["pass 2 active cancelled"])
    #expect(story.status("z") == .cancelled)
  }

  @Test("S34, S13: a run that doesn't stop is killed after cancelGrace")
  func killed() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    _ = try story.tell(.runsCancelled(["a"], by: "ops"))
    #expect(try story.wait(.seconds(5)) == ["kill 1"])
  }
}
