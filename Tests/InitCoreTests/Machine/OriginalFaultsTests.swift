import InitWords
import Testing

@testable import InitCore

/// Faults of the original that this implementation doesn't have: one test per fault.
@Suite("Faults of the original")
struct OriginalFaultsTests {
  private func activated(_ declared: [Declaration]) throws -> Story {
    var story = Story(declared)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    return story
  }

  @Test("Activating during an activation started a second one beside the first (S10)")
  func activatingDuringActivation() throws {
    var story = try activated([active("z")])
    for _ in 0..<5 { #expect(try story.tell(.activated(hold: nil)) == []) }
    #expect(try story.finish("z") == ["pass 2 active complete", "active complete, state complete"])
  }

  @Test("A cancelled pass published complete, even when nothing had run (S11)")
  func cancelledComplete() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.deactivated) == ["pass 2 active cancelled", "app inactive"])
    _ = try story.finish("a")
    #expect(story.machine.states.active.state == .pending)
    var running = try activated([active("z")])
    _ = try running.tell(.deactivated)
    #expect(try running.finish("z") == ["pass 2 active cancelled"])
    #expect(running.machine.states.active.state == .pending)
  }

  @Test("An initializer skipped by a cancellation counted as completed and never ran again (S12)")
  func skippedCounted() throws {
    var story = try activated([active("y"), active("z", "y")])
    _ = try story.tell(.deactivated)
    _ = try story.finish("y")
    #expect(story.statuses == [.cancelled, .idle])
    #expect(try story.tell(.activated(hold: nil)) == ["pass 3 active started", "app active", "run 2 y"])
    #expect(try story.finish("y") == ["run 3 z"])
  }

  @Test("A late cancelled pass overwrote the newer one's state (S12)")
  func lateOverwrites() throws {
    var story = try activated([active("z")])
    _ = try story.tell(.deactivated)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.fail("z") == ["pass 2 active cancelled", "pass 3 active started", "run 2 z"])
    #expect(story.machine.states.active == .init(state: .pending, pass: 3))
    _ = try story.finish("z")
    #expect(try story.tell(.runFinished(run: 1, .failure(.exit(status: 1)))) == [])
    #expect(story.machine.states.active == .init(state: .complete, pass: 3))
  }

  @Test("An initializer that honoured cancellation turned the state to failed (S11, S12)")
  func honouredCancellation() throws {
    var story = try activated([active("z")])
    _ = try story.tell(.deactivated)
    #expect(try story.fail("z", .error(message: "CancellationError()")) == ["pass 2 active cancelled"])
    #expect(story.machine.states.active.state == .pending)
    #expect(story.machine.states.composite == .pending)
  }

  @Test("A new pass started while the cancelled one still ran (S13)")
  func startedBeside() throws {
    var story = try activated([active("z")])
    _ = try story.tell(.deactivated)
    #expect(try story.tell(.activated(hold: nil)) == ["app active"])
    #expect(try story.wait(.seconds(5)) == ["kill 1"])
    #expect(try story.wait(.seconds(5)) == [])
    #expect(try story.finish("z") == ["pass 2 active cancelled", "pass 3 active started", "run 2 z"])
  }

  @Test("Right after activate a reader still saw the old complete (S10)")
  func oldComplete() throws {
    var story = try activated([active("z")])
    _ = try story.finish("z")
    #expect(story.machine.states.composite == .complete)
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.states.active.state == .pending)
    #expect(story.machine.states.composite == .pending)
    #expect(!story.machine.states.isReady)
  }

  @Test(
    "The delegate got pending when a phase failed, and repeated or unpaired events when it was cancelled: one start, one end"
  )
  func oneStartOneEnd() throws {
    var story = try activated([active("z")])
    let failure = "z failed: exit status 1"
    #expect(
      try story.fail("z") == [
        "pass 2 active failed (\(failure))", "active failed (\(failure)), state failed (\(failure))",
      ])
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.deactivated) == ["cancel 2 deactivated", "app inactive"])
    #expect(try story.finish("z") == ["pass 3 active cancelled"])
    #expect(try story.tell(.deactivated) == [])
  }

  @Test("Calling the public launch method as documented ran launch twice (S10)")
  func launchedTwice() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    #expect(try story.tell(.launched) == [])
    #expect(try story.finish("a") == ["pass 1 launch complete", "launch complete"])
    #expect(try story.tell(.launched) == [])
  }

  @Test("The second of two initializers of one class was dropped (S2, S5)")
  func secondVanished() throws {
    var story = Story([launch("a"), launch("a")])
    #expect(
      try story.tell(.started).dropFirst().first
        == "pass 1 launch failed (cannot run a: two initializers have this name; rename one of them)")
    #expect(story.machine.states.launch.state == .failed(.duplicateInitializer("a")))
  }

  @Test("Cycles and missing dependencies were found after others had run (S5)", arguments: ["b", "gone"])
  func lateFaults(dependency: String) throws {
    var story = Story([launch("a"), launch("b", dependency)])
    #expect(try !story.tell(.started).contains { $0.hasPrefix("run") })
    #expect(story.statuses == [.notRun, .failed])
  }
}
