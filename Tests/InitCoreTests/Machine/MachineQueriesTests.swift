import InitWords
import Testing

@testable import InitCore

/// S1, S2: the queries of a machine.
@Suite("Queries")
struct MachineQueriesTests {
  @Test("S1: both states start pending, the app inactive")
  func beginning() {
    let machine = Machine(declared: [(launch("a"), .command)])
    #expect(
      machine.states
        == StateRecord(
          launch: .init(state: .pending), active: .init(state: .pending), lifecycle: .inactive, hasActivePhase: false))
    #expect(!machine.states.isReady)
    #expect(machine.nextDeadline == nil)
  }

  @Test("S1: the states are published together, one record of one moment, and ready means complete while active")
  func together() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    let effects = try story.world.take(.runFinished(run: 1, .success))
    let records = effects.compactMap {
      if case .publish(.state(let record, let changed)) = $0 { (record, changed) } else { nil }
    }
    #expect(records.count == 1)
    #expect(records.first?.1 == [.launch, .active, .composite])
    #expect(records.first?.0.isReady == true)
    #expect(records.first?.0.launch.pass == 1)
    #expect(records.first?.0.active.pass == 2)
  }

  @Test("S1: a new pass number alone isn't a change; two failures are equal only if their errors are")
  func changes() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    _ = try story.fail("a")
    _ = try story.tell(.activated(hold: nil))
    // Starts and fails in this step: the state stays failed with launch's error.
    #expect(
      try story.tell(.activated(hold: nil)) == [
        "pass 3 active started", "pass 3 active failed (a failed: exit status 1)",
      ])
    _ = try story.tell(.launched)
    #expect(try story.fail("a", .exit(status: 2)).last?.hasPrefix("launch failed (a failed: exit status 2)") == true)
  }

  @Test("S2: within a pass an initializer waits, runs, stops; then it is complete, failed, cancelled, notRun or idle")
  func statuses() throws {
    var story = Story([active("x"), active("y"), active("z")], .init(concurrency: 1))
    _ = try story.tell(.started)
    #expect(story.statuses == [.idle, .idle, .idle])
    _ = try story.tell(.activated(hold: nil))
    #expect(story.statuses == [.running, .waiting, .waiting])
    _ = try story.finish("x")
    #expect(story.statuses == [.complete, .running, .waiting])
    _ = try story.tell(.deactivated)
    #expect(story.statuses == [.complete, .stopping, .waiting])
    _ = try story.finish("y")
    #expect(story.statuses == [.complete, .cancelled, .idle])
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("x")
    #expect(story.statuses == [.failed, .notRun, .notRun])
    _ = try story.tell(.activated(hold: nil))
    #expect(story.statuses == [.running, .waiting, .waiting])
    #expect(story.machine.initializer(named: "y")?.blockedBy == nil)
  }

  @Test("S8: What was stopped names the initializer that failed first; what a deactivation stopped names none")
  func stoppedBy() throws {
    var story = Story([active("x"), active("y"), active("z").retry(2)], .init(concurrency: 3))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    // z is between two attempts.
    _ = try story.fail("z")
    _ = try story.fail("x")
    _ = try story.finish("y")
    #expect(story.statuses == [.failed, .cancelled, .cancelled])
    #expect(story.machine.initializers.map(\.blockedBy) == [nil, "x", "x"])
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.initializers.map(\.blockedBy) == [nil, nil, nil])
    _ = try story.fail("x")
    // The failing pass is cancelled before its runs have stopped (S14).
    _ = try story.tell(.deactivated)
    _ = try story.finish("y")
    _ = try story.finish("z")
    #expect(story.statuses == [.failed, .cancelled, .cancelled])
    #expect(story.machine.initializers.map(\.blockedBy) == [nil, nil, nil])
  }

  @Test("The outcome of an initializer is known once it has one and waits for no further run")
  func outcomes() throws {
    var story = Story([launch("a"), launch("b").optional(), launch("c", "b").optional(), active("z")])
    #expect(story.machine.outcome(of: "nobody") == nil)
    #expect(story.machine.outcome(of: "a") == nil)
    _ = try story.tell(.started)
    #expect(story.machine.outcome(of: "a") == nil)
    _ = try story.finish("a")
    _ = try story.fail("b")
    let failure = Failure.initializerFailed("b", .exit(status: 1))
    #expect(story.machine.outcome(of: "a") == .complete)
    #expect(story.machine.outcome(of: "b") == .failed(failure))
    #expect(story.machine.outcome(of: "c") == .failed(failure))
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    _ = try story.finish("z")
    #expect(story.machine.outcome(of: "z") == .cancelled)
  }

  @Test("A deactivation would cancel the active pass's runs, and initializers between two attempts")
  func cancellable() throws {
    var story = Story([active("x"), active("y").retry(2), active("z")], .init(concurrency: 3))
    _ = try story.tell(.started)
    #expect(story.machine.cancellable == [])
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("y")
    #expect(story.machine.cancellable == ["x", "z", "y"])
    _ = try story.tell(.deactivated)
    #expect(story.machine.cancellable == [])
  }

  @Test("Initializers are in the order of registration, including those of workers")
  func order() throws {
    var story = Story([launch("m")], .init(launchesAtStart: false, acceptsWorkers: true))
    _ = try story.register(1, ["z", "b"])
    _ = try story.register(2, ["a"])
    #expect(story.machine.initializers.map(\.declaration.name) == ["m", "z", "b", "a"])
    #expect(story.machine.names(providedBy: 1) == ["z", "b"])
    #expect(story.machine.initializerCount == 4)
  }

  @Test("A run is in flight until it is known to have stopped")
  func inFlight() throws {
    var story = Story([active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.initializer(ofRun: 1) != nil)
    _ = try story.tell(.deactivated)
    #expect(story.machine.initializer(ofRun: 1) != nil)
    _ = try story.finish("z")
    #expect(story.machine.initializer(ofRun: 1) == nil)
  }
}
