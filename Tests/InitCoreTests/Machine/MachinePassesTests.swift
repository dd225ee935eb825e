import InitWords
import Testing

@testable import InitCore

/// S3–S9: passes, their plans, their order and their ends.
@Suite("Passes")
struct MachinePassesTests {
  @Test("S3: a launch pass starts by itself, and runs every launch initializer")
  func launchByItself() throws {
    var story = Story([launch("a"), launch("b"), active("z")])
    #expect(try story.tell(.started) == ["pass 1 launch started", "run 1 a"])
    #expect(try story.finish("a") == ["run 2 b"])
    #expect(try story.finish("b") == ["pass 1 launch complete", "launch complete"])
    #expect(story.statuses == [.complete, .complete, .idle])
  }

  @Test("S3: if launch doesn't start by itself, it starts with the launch event")
  func launchTold() throws {
    var story = Story([launch("a")], .init(launchesAtStart: false))
    #expect(try story.tell(.started) == [])
    #expect(try story.tell(.launched) == ["pass 1 launch started", "run 1 a"])
  }

  @Test("S3: a launch pass runs the dependencies of its initializers, regardless of their priority")
  func launchRunsActiveDependency() throws {
    var story = Story([launch("a", "z"), active("z", "y"), active("y"), active("x")])
    #expect(try story.tell(.started) == ["pass 1 launch started", "run 1 y"])
    #expect(try story.finish("y") == ["run 2 z"])
    #expect(try story.finish("z") == ["run 3 a"])
    #expect(try story.finish("a") == ["pass 1 launch complete", "launch complete"])
    #expect(story.status("x") == .idle)
  }

  @Test("S3: an empty phase completes at once")
  func nothing() throws {
    var story = Story([])
    #expect(
      try story.tell(.started) == ["pass 1 launch started", "pass 1 launch complete", "launch complete"])
    #expect(
      try story.tell(.activated(hold: nil)) == [
        "pass 2 active started", "pass 2 active complete", "active complete, state complete, app active",
      ])
  }

  @Test("S4: an active pass waits for launch, and starts its runs after launch is published as complete")
  func activeWaits() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    #expect(try story.tell(.activated(hold: nil)) == ["pass 2 active started", "app active"])
    #expect(story.status("z") == .waiting)
    #expect(try story.finish("a") == ["pass 1 launch complete", "launch complete", "run 2 z"])
    #expect(try story.finish("z") == ["pass 2 active complete", "active complete, state complete"])
  }

  @Test("S4: after a complete launch, an active pass is open from its start, and isn't planned a second time for that")
  func activeIsOpen() throws {
    var machine = Machine(declared: [(launch("a"), .command), (active("z"), .command)])
    _ = try machine.apply(.started, at: .zero)
    _ = try machine.apply(.runFinished(run: 1, .success), at: .seconds(1))
    let effects = try machine.apply(.activated(hold: nil), at: .seconds(2))
    let beginning: [Effect] = [
      .publish(.pass(2, phase: .active, .started)), .publish(.passOpened(2)),
    ]
    #expect(Array(effects.prefix(2)) == beginning)
    #expect(effects.filter { beginning.contains($0) }.count == 2)
  }

  @Test("S4: an activation before launch was requested waits for launch")
  func activeBeforeLaunch() throws {
    var story = Story([active("z")], .init(launchesAtStart: false))
    #expect(try story.tell(.activated(hold: nil)) == ["pass 1 active started", "app active"])
    #expect(
      try story.tell(.launched) == ["pass 2 launch started", "pass 2 launch complete", "launch complete", "run 1 z"])
  }

  @Test("S4: an active initializer that ran in launch as a dependency runs again, but its launch dependencies don't")
  func activeRunsAgain() throws {
    var story = Story([launch("a"), active("z", "a"), launch("b", "z")])
    _ = try story.tell(.started)
    #expect(try story.finish("a") == ["run 2 z"])
    #expect(try story.finish("z") == ["run 3 b"])
    _ = try story.finish("b")
    #expect(try story.tell(.activated(hold: nil)) == ["pass 2 active started", "app active", "run 4 z"])
    #expect(try story.finish("z") == ["pass 2 active complete", "active complete, state complete"])
  }

  @Test(
    "S5: a fault among the initializers that a pass needs fails it before anything runs",
    arguments: [
      ([launch("x"), launch("a", "b"), launch("b", "c"), launch("c", "a")], "circular dependency a -> b -> c -> a"),
      ([launch("x"), launch("a", "gone")], "its dependency gone is not declared"),
      ([launch("x"), launch("a"), launch("a")], "two initializers have this name; rename one of them"),
    ])
  func fault(declared: [Declaration], why: String) throws {
    var story = Story(declared)
    let failure = why.hasPrefix("two") ? "cannot run a: \(why)" : "cannot run a: \(why)"
    #expect(
      try story.tell(.started) == [
        "pass 1 launch started", "pass 1 launch failed (\(failure))",
        "launch failed (\(failure)), state failed (\(failure))",
      ])
    #expect(story.status("x") == .notRun)
    #expect(story.machine.initializer(named: "x")?.blockedBy == "a")
    #expect(story.status("a") == .failed)
  }

  @Test("S5: a cycle among initializers that a pass doesn't need doesn't affect the pass")
  func faultElsewhere() throws {
    var story = Story([launch("a"), active("y", "z"), active("z", "y")])
    _ = try story.tell(.started)
    #expect(try story.finish("a") == ["pass 1 launch complete", "launch complete"])
    let failure = "cannot run y: circular dependency y -> z -> y"
    #expect(
      try story.tell(.activated(hold: nil)) == [
        "pass 2 active started", "pass 2 active failed (\(failure))",
        "active failed (\(failure)), state failed (\(failure)), app active",
      ])
  }

  @Test("S5: if workers can connect, a missing dependency isn't a fault yet, but a cycle is")
  func missingMayCome() throws {
    var story = Story([launch("x"), launch("a", "gone")], .init(acceptsWorkers: true))
    #expect(try story.tell(.started) == ["pass 1 launch started", "run 1 x"])
    var cyclic = Story([launch("x"), launch("a", "a")], .init(acceptsWorkers: true))
    #expect(try cyclic.tell(.started).contains("pass 1 launch failed (cannot run a: circular dependency a -> a)"))
  }

  @Test("S6: with concurrency 1 the order is depth first: as registered, each preceded by its dependencies as listed")
  func depthFirst() throws {
    var story = Story([launch("a", "c", "b"), launch("b", "d"), launch("c"), launch("d"), launch("e")])
    _ = try story.tell(.started)
    for name in ["c", "d", "b", "a", "e"] { _ = try story.finish(name) }
    #expect(story.machine.states.launch.state == .complete)
  }

  @Test("S6: with concurrency 2, two run at once, and the first startable one in the order starts next")
  func concurrency() throws {
    var story = Story(
      [launch("a"), launch("b", "a"), launch("c"), launch("d"), launch("e")], .init(concurrency: 2))
    #expect(try story.tell(.started) == ["pass 1 launch started", "run 1 a", "run 2 c"])
    #expect(try story.finish("a") == ["run 3 b"])
    #expect(try story.finish("c") == ["run 4 d"])
    #expect(try story.finish("d") == ["run 5 e"])
  }

  @Test("S7: an initializer runs once in a pass, even if several depend on it, or one lists it twice")
  func once() throws {
    var story = Story([launch("a", "d", "d"), launch("b", "d"), launch("c", "d"), launch("d")], .init(concurrency: 4))
    #expect(try story.tell(.started) == ["pass 1 launch started", "run 1 d"])
    #expect(try story.finish("d") == ["run 2 a", "run 3 b", "run 4 c"])
  }

  @Test("S8: the first error stops the pass: nothing starts, runs are cancelled, and it fails when they have stopped")
  func firstError() throws {
    var story = Story([launch("a"), launch("b"), launch("c")], .init(concurrency: 2))
    _ = try story.tell(.started)
    #expect(try story.fail("a") == ["cancel 2 failed"])
    #expect(story.statuses == [.failed, .stopping, .waiting])
    #expect(story.machine.states.launch.state == .pending)
    let failure = "a failed: exit status 1"
    #expect(
      try story.fail("b", .exit(status: 2)) == [
        "pass 1 launch failed (\(failure))", "launch failed (\(failure)), state failed (\(failure))",
      ])
    #expect(story.statuses == [.failed, .cancelled, .notRun])
    #expect(story.machine.initializer(named: "c")?.blockedBy == "a")
  }

  @Test("S8: if launch fails, an active pass that waits for it fails with it, and none of its initializers runs")
  func launchFailsActive() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    let failure = "a failed: exit status 1"
    #expect(
      try story.fail("a") == [
        "pass 1 launch failed (\(failure))", "pass 2 active failed (\(failure))",
        "launch failed (\(failure)), active failed (\(failure)), state failed (\(failure))",
      ])
    #expect(story.status("z") == .notRun)
    #expect(story.machine.initializer(named: "z")?.blockedBy == "a")
  }

  @Test("S8: after launch failed, activate gets a pass that starts and fails in that step, with launch's error")
  func activateAfterFailedLaunch() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    _ = try story.fail("a")
    let failure = "a failed: exit status 1"
    #expect(
      try story.tell(.activated(hold: nil)) == [
        "pass 2 active started", "pass 2 active failed (\(failure))", "active failed (\(failure)), app active",
      ])
  }

  @Test("S8: an optional initializer that fails doesn't stop the pass, which may complete")
  func optional() throws {
    var story = Story([launch("a").optional(), launch("b")])
    _ = try story.tell(.started)
    #expect(try story.fail("a") == ["run 2 b"])
    #expect(story.status("a") == .failed)
    #expect(try story.finish("b") == ["pass 1 launch complete", "launch complete"])
    #expect(story.statuses == [.failed, .complete])
  }

  @Test("S8: dependents of a failed optional initializer can't run; if all are optional, the pass continues")
  func optionalChain() throws {
    var story = Story([
      launch("a").optional(), launch("b", "a").optional(), launch("c", "b").optional(), launch("d"),
    ])
    _ = try story.tell(.started)
    #expect(try story.fail("a") == ["run 2 d"])
    #expect(story.statuses == [.failed, .notRun, .notRun, .running])
    #expect(story.machine.initializer(named: "c")?.blockedBy == "a")
    #expect(try story.finish("d") == ["pass 1 launch complete", "launch complete"])
    #expect(story.statuses == [.failed, .notRun, .notRun, .complete])
  }

  @Test("S8: if one of the dependents isn't optional, the pass fails with that error")
  func optionalNeeded() throws {
    var story = Story([launch("a").optional(), launch("b", "a").optional(), launch("c", "b"), launch("d")])
    _ = try story.tell(.started)
    let failure = "a failed: exit status 1"
    #expect(
      try story.fail("a") == [
        "pass 1 launch failed (\(failure))", "launch failed (\(failure)), state failed (\(failure))",
      ])
    #expect(story.statuses == [.failed, .notRun, .notRun, .notRun])
  }

  @Test(
    "S8: an active initializer that depends on a failed optional of launch can't run, and fails its pass with that error"
  )
  func optionalAcrossPhases() throws {
    var story = Story([launch("a").optional(), active("y", "a").optional(), active("z")])
    _ = try story.tell(.started)
    _ = try story.fail("a")
    #expect(try story.tell(.activated(hold: nil)) == ["pass 2 active started", "app active", "run 2 z"])
    #expect(story.status("y") == .notRun)
    #expect(try story.finish("z") == ["pass 2 active complete", "active complete, state complete"])

    var needed = Story([launch("a").optional(), active("y", "a"), active("z")])
    _ = try needed.tell(.started)
    _ = try needed.fail("a")
    #expect(
      try needed.tell(.activated(hold: nil)).contains("pass 2 active failed (a failed: exit status 1)"))
    #expect(needed.status("y") == .notRun)
  }

  @Test("S9: after a failed active pass the next activate runs all of it again")
  func activeAgain() throws {
    var story = Story([active("y"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("y")
    _ = try story.fail("z")
    #expect(
      try story.tell(.activated(hold: nil)) == ["pass 3 active started", "active pending, state pending", "run 3 y"])
    #expect(try story.finish("y") == ["run 4 z"])
  }

  @Test(
    "S9: after a failed launch, launch retries initializers that haven't completed, and both states are pending before the answer"
  )
  func launchRetried() throws {
    var story = Story([launch("a"), launch("b"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("a")
    _ = try story.fail("b")
    #expect(
      try story.tell(.launched) == [
        "pass 3 launch started", "pass 4 active started", "launch pending, active pending, state pending", "run 3 b",
      ])
    #expect(try story.finish("b") == ["pass 3 launch complete", "launch complete", "run 4 z"])
  }

  @Test(
    "S9: if the app isn't active, a retry of launch sets an active state that failed with it to pending, and starts no active pass"
  )
  func launchRetriedInactive() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("a")
    #expect(try story.tell(.deactivated) == ["app inactive"])
    #expect(
      try story.tell(.launched) == [
        "pass 3 launch started", "launch pending, active pending, state pending", "run 2 a",
      ])
    #expect(try story.finish("a") == ["pass 3 launch complete", "launch complete"])
  }

  @Test("S9: launch doesn't change an active state that failed with its own error")
  func activeFailureStays() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("z")
    #expect(try story.tell(.launched) == [])
    #expect(story.machine.states.active.state == .failed(.initializerFailed("z", .exit(status: 1))))
  }
}
