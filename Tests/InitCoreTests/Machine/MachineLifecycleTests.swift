import InitWords
import Testing

@testable import InitCore

/// S10, S11, S14, S23, S24: activate, deactivate, hold, shutdown.
@Suite("Lifecycle")
struct MachineLifecycleTests {
  /// Returns a launched story, with active initializers `y` and `z`.
  private func launched(_ configuration: Machine.Configuration = .init()) throws -> Story {
    var story = Story([active("y"), active("z")], configuration)
    _ = try story.tell(.started)
    return story
  }

  @Test("S10: activate joins the current pass, even if that still waits for launch")
  func activateJoins() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.activated(hold: nil)) == [])
    _ = try story.finish("a")
    #expect(try story.tell(.activated(hold: nil)) == [])
    #expect(story.machine.states.active.pass == 2)
  }

  @Test("S10: activate sets activeState to pending at once, even while a new launch pass runs")
  func activatePends() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("y")
    _ = try story.finish("z")
    #expect(
      try story.tell(.activated(hold: nil)) == ["pass 3 active started", "active pending, state pending", "run 3 y"])
  }

  @Test("S9: initializers that completed in an earlier process don't run again, and their dependents do")
  func remembers() throws {
    var story = Story([launch("a"), launch("b", "a"), active("z", "a")])
    #expect(try story.tell(.remembered(["a"])) == [])
    #expect(story.status("a") == .complete)
    #expect(try story.tell(.started) == ["pass 1 launch started", "run 1 b"])
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.finish("b").last == "run 2 z")
  }

  @Test("S9: launch is complete at once if an earlier process completed all of it")
  func remembersAll() throws {
    var story = Story([launch("a"), launch("b", "a")])
    _ = try story.tell(.remembered(["b", "a"]))
    #expect(try story.tell(.started) == ["pass 1 launch started", "pass 1 launch complete", "launch complete"])
  }

  @Test("S22: Swift objects and perProcess initializers aren't remembered: their process has ended")
  func remembersNoMemory() throws {
    var story = Story([(launch("object"), .inProcess), (launch("w").perProcess(), .worker), (launch("c"), .command)])
    _ = try story.tell(.remembered(["object", "w", "c"]))
    #expect(story.statuses == [.idle, .idle, .complete])
  }

  @Test("S9: remembered names have no effect once launch has begun")
  func remembersTooLate() throws {
    var story = Story([launch("a"), launch("b")])
    _ = try story.tell(.started)
    #expect(try story.tell(.remembered(["b"])) == [])
    #expect(try story.finish("a") == ["run 2 b"])
  }

  @Test("S10: launch has no effect after a completed launch, and joins a running one")
  func launchJoins() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    #expect(try story.tell(.launched) == [])
    _ = try story.finish("a")
    #expect(try story.tell(.launched) == [])
    #expect(story.machine.states.launch.pass == 1)
  }

  @Test(
    "S10: a pass gets its number when it is requested, from one counter for both phases, and can be waited for")
  func passNumbers() throws {
    var story = Story([launch("a"), active("z")])
    #expect(story.machine.knowledge(of: 1) == .unknown)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.states.launch.pass == 1)
    #expect(story.machine.states.active.pass == 2)
    #expect(story.machine.knowledge(of: 2) == .underWay)
    _ = try story.finish("a")
    #expect(story.machine.knowledge(of: 1) == .ended(.complete))
    _ = try story.tell(.deactivated)
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.states.active.pass == 3)
    #expect(story.machine.knowledge(of: 2) == .underWay)
    #expect(story.machine.knowledge(of: 3) == .underWay)
    _ = try story.finish("z")
    #expect(story.machine.knowledge(of: 2) == .ended(.cancelled))
    _ = try story.fail("z")
    #expect(story.machine.knowledge(of: 3) == .ended(.failed(.initializerFailed("z", .exit(status: 1)))))
  }

  @Test("S10: only the outcomes of the last 32 passes are remembered")
  func rememberedPasses() throws {
    var story = Story([])
    _ = try story.tell(.started)
    for _ in 0..<40 { _ = try story.tell(.activated(hold: nil)) }
    #expect(story.machine.knowledge(of: 9) == .unknown)
    #expect(story.machine.knowledge(of: 10) == .ended(.complete))
    #expect(story.machine.knowledge(of: 41) == .ended(.complete))
  }

  @Test("S11: deactivate cancels the running active pass and leaves activeState pending")
  func deactivateRunning() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.deactivated) == ["cancel 1 deactivated", "app inactive"])
    #expect(story.statuses == [.stopping, .waiting])
    #expect(try story.finish("y") == ["pass 2 active cancelled"])
    #expect(story.machine.states.active.state == .pending)
    #expect(story.statuses == [.cancelled, .idle])
  }

  @Test("S11: deactivate ends a pass that waits for launch at once, and launch continues")
  func deactivateWaiting() throws {
    var story = Story([launch("a"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.deactivated) == ["pass 2 active cancelled", "app inactive"])
    #expect(try story.finish("a") == ["pass 1 launch complete", "launch complete"])
    #expect(story.machine.states.active.state == .pending)
  }

  @Test("S11: a pass that had completed or failed keeps its state until the next activate")
  func deactivateKeeps() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("y")
    _ = try story.finish("z")
    #expect(try story.tell(.deactivated) == ["app inactive"])
    #expect(story.machine.states.active.state == .complete)
    #expect(story.machine.states.isReady == false)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("y")
    #expect(try story.tell(.deactivated) == ["app inactive"])
    #expect(story.machine.states.active.state == .failed(.initializerFailed("y", .exit(status: 1))))
  }

  @Test("S11: an active initializer that launch runs as a dependency continues, and so does its retry")
  func deactivateLeavesLaunch() throws {
    var story = Story([launch("a", "z"), active("z").retry(2)])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.deactivated) == ["pass 2 active cancelled", "app inactive"])
    #expect(story.status("z") == .running)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("z")
    #expect(try story.tell(.deactivated) == ["pass 3 active cancelled", "app inactive"])
    #expect(story.machine.initializer(named: "z")?.failure == .initializerFailed("z", .exit(status: 1)))
    #expect(try story.wait(.seconds(1)) == ["run 2 z"])
    #expect(try story.finish("z") == ["run 3 a"])
  }

  @Test("S11: deactivate has no effect if nothing is active")
  func deactivateNothing() throws {
    var story = try launched()
    #expect(try story.tell(.deactivated) == [])
  }

  @Test("S14: activate while the cancelled pass is stopping starts the new one as soon as that has stopped")
  func activateWhileStopping() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    #expect(try story.tell(.activated(hold: nil)) == ["app active"])
    #expect(try story.finish("y") == ["pass 2 active cancelled", "pass 3 active started", "run 2 y"])
  }

  @Test("S14: activate after a first error starts a new pass once all runs have stopped")
  func activateWhileFailing() throws {
    var story = try launched(.init(concurrency: 2))
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.fail("y") == ["cancel 2 failed"])
    #expect(try story.tell(.activated(hold: nil)) == [])
    #expect(
      try story.finish("z") == [
        "pass 2 active failed (y failed: exit status 1)", "pass 3 active started", "run 3 y", "run 4 z",
      ])
  }

  @Test(
    "S14: launch after launch's first error starts a new pass once all runs have stopped; open waits continue"
  )
  func launchWhileFailing() throws {
    var story = Story([launch("a"), launch("b"), active("z")], .init(concurrency: 2))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.fail("a") == ["cancel 2 failed"])
    #expect(try story.tell(.launched) == [])
    #expect(
      try story.finish("b") == [
        "pass 1 launch failed (a failed: exit status 1)", "pass 3 launch started", "run 3 a", "run 4 b",
      ])
    _ = try story.finish("a")
    #expect(try story.finish("b") == ["pass 3 launch complete", "launch complete", "run 5 z"])
  }

  @Test(
    "S9, S14: if launch is requested while an active pass stops because of launch's error, both phases get a new pass")
  func launchWhileActiveFails() throws {
    var story = try launched(.init(acceptsWorkers: true))
    _ = try story.tell(.activated(hold: nil))
    let failure = "cannot run w: circular dependency w -> w"
    #expect(
      try story.register(1, [Registration("w", dependencies: ["w"])]) == [
        "pass 3 launch started", "pass 3 launch failed (\(failure))", "cancel 1 failed",
        "launch failed (\(failure)), state failed (\(failure))",
      ])
    _ = try story.tell(.workerUnregistered(by: 1, ["w"]))
    // The launch pass has nothing to run, but it still waits for the active run to stop.
    #expect(try story.tell(.launched) == ["pass 4 launch started", "launch pending, state pending"])
    #expect(
      try story.finish("y") == [
        "pass 2 active failed (\(failure))", "pass 5 active started", "pass 4 launch complete", "launch complete",
        "run 2 y",
      ])
  }

  @Test("S14: deactivate after a first error, while the other runs are stopping, makes the pass cancelled")
  func deactivateWhileFailing() throws {
    var story = try launched(.init(concurrency: 2))
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("y")
    #expect(story.machine.initializer(named: "z")?.blockedBy == "y")
    #expect(try story.tell(.deactivated) == ["app inactive"])
    #expect(story.machine.initializer(named: "z")?.status == .stopping)
    #expect(story.machine.initializer(named: "z")?.blockedBy == nil)
    #expect(try story.finish("z") == ["pass 2 active cancelled"])
    #expect(story.machine.states.active.state == .pending)
  }

  @Test(
    "S14: a pass that is requested while another stops, and cancelled before it can start, starts and ends once, as cancelled"
  )
  func abandoned() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.deactivated) == ["pass 3 abandoned", "app inactive"])
    #expect(story.machine.knowledge(of: 3) == .ended(.cancelled))
    _ = try story.tell(.activated(hold: nil))
    #expect(
      try story.finish("y") == [
        "pass 2 active cancelled", "pass 3 active started", "pass 3 active cancelled", "pass 4 active started",
        "run 2 y",
      ])
  }

  @Test("S23: the app is active while there is a hold, and is deactivated when the last one ends")
  func holds() throws {
    var story = try launched()
    #expect(try story.tell(.activated(hold: 1)) == ["pass 2 active started", "app active", "run 1 y"])
    #expect(try story.tell(.activated(hold: 2)) == [])
    #expect(story.machine.holdCount == 2)
    #expect(story.machine.isHeld(by: 1) && !story.machine.isHeld(by: 3))
    #expect(try story.tell(.holdReleased(1)) == [])
    #expect(!story.machine.isHeld(by: 1))
    #expect(try story.tell(.holdReleased(1)) == [])
    #expect(try story.tell(.holdReleased(2)) == ["cancel 1 deactivated", "app inactive"])
  }

  @Test("S23: a new hold runs nothing again if the app is active and its pass hasn't failed")
  func holdAdds() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("y")
    _ = try story.finish("z")
    #expect(try story.tell(.activated(hold: 1)) == [])
    #expect(story.machine.states.active == .init(state: .complete, pass: 2))
  }

  @Test("S23: a new hold after a failed pass starts a new pass, even while the failed one is stopping")
  func holdRetries() throws {
    var story = try launched(.init(concurrency: 2))
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("y")
    #expect(try story.tell(.activated(hold: 1)) == [])
    #expect(try story.tell(.activated(hold: 2)) == [])
    _ = try story.finish("z")
    _ = try story.fail("y")
    _ = try story.finish("z")
    #expect(
      try story.tell(.activated(hold: 3)) == [
        "pass 4 active started", "active pending, state pending", "run 5 y", "run 6 z",
      ])
  }

  @Test("S23: after a plain activate, the end of the last hold doesn't deactivate")
  func plainStands() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: 1))
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.holdReleased(1)) == [])
    #expect(story.machine.states.lifecycle == .active)
  }

  @Test("S23: deactivate cancels the pass and ends all holds at once")
  func deactivateEndsHolds() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: 1))
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    #expect(story.machine.holdCount == 0)
    #expect(try story.tell(.activated(hold: 2)) == ["app active"])
    #expect(try story.tell(.holdReleased(1)) == [])
    #expect(try story.tell(.holdReleased(2)) == ["pass 3 abandoned", "app inactive"])
  }

  @Test("S24: shutdown cancels the runs of both phases, waits for them, and finishes")
  func shutdown() throws {
    var story = Story([launch("a"), launch("b"), active("z")], .init(concurrency: 2))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(
      try story.tell(.shutdownRequested) == ["cancel 1 shutdown", "cancel 2 shutdown", "pass 2 active cancelled"])
    #expect(story.machine.isEnding)
    #expect(try story.finish("a") == [])
    #expect(try story.wait(.seconds(5)) == ["kill 2"])
    #expect(try story.finish("b") == ["pass 1 launch cancelled", "finish"])
    #expect(try story.tell(.shutdownRequested) == [])
  }

  @Test("S24: completed initializers are stopped one by one, in the reverse order of their last completion")
  func stops() throws {
    var story = Story([
      launch("a").stop(), launch("b"), launch("c").stop(), active("z", "c").stop(), active("y").stop(),
    ])
    _ = try story.tell(.started)
    for name in ["a", "b", "c"] { _ = try story.finish(name) }
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("z")
    #expect(try story.tell(.shutdownRequested) == ["cancel 5 shutdown"])
    #expect(try story.finish("y") == ["pass 2 active cancelled", "finish"])
    #expect(try story.tell(.stopsRequested) == ["stop 6 z"])
    #expect(try story.tell(.stopsRequested) == [])
    #expect(try story.tell(.stopEnded(run: 5)) == [])
    #expect(try story.tell(.stopEnded(run: 6)) == ["stop 7 c"])
    #expect(try story.tell(.stopEnded(run: 7)) == ["stop 8 a"])
    #expect(try story.tell(.stopEnded(run: 8)) == ["stopped"])
    #expect(try story.tell(.stopsRequested) == [])
  }

  @Test("S24: a stop that exceeds its timeout is terminated, then abandoned, and the next one starts")
  func slowStop() throws {
    var story = Story([launch("a").stop(), launch("b").stop()])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.finish("b")
    #expect(try story.tell(.stopsRequested) == [])
    #expect(try story.tell(.shutdownRequested) == ["finish"])
    #expect(try story.tell(.stopsRequested) == ["stop 3 b"])
    #expect(try story.wait(.seconds(9)) == [])
    #expect(try story.wait(.seconds(1)) == ["cancel stop 3"])
    #expect(try story.wait(.seconds(4)) == [])
    #expect(try story.wait(.seconds(1)) == ["give up stop 3", "stop 4 a"])
    #expect(try story.tell(.stopEnded(run: 3)) == [])
    #expect(try story.tell(.stopEnded(run: 4)) == ["stopped"])
    #expect(story.machine.nextDeadline == nil)
  }

  @Test("S24: initializers that completed in an earlier process are stopped after those of this one")
  func stopsRemembered() throws {
    var story = Story([launch("a").stop(), launch("b").stop()])
    _ = try story.tell(.remembered(["b"]))
    _ = try story.tell(.started)
    _ = try story.finish("a")
    #expect(try story.tell(.shutdownRequested) == ["finish"])
    #expect(try story.tell(.stopsRequested) == ["stop 2 a"])
    #expect(try story.tell(.stopEnded(run: 2)) == ["stop 3 b"])
  }

  @Test("S24: shutdown without runs finishes at once")
  func shutdownIdle() throws {
    var story = try launched()
    #expect(try story.tell(.shutdownRequested) == ["finish"])
  }

  @Test(
    "S24: while shutting down, new work is refused",
    arguments: [
      Event.started, .launched, .activated(hold: nil), .activated(hold: 1),
      .workerRegistered(1, process: 1, [Registration("w")]),
    ])
  func refused(event: Event) throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    _ = try story.tell(.shutdownRequested)
    #expect(throws: Refusal.shuttingDown) { try story.tell(event) }
  }

  @Test("S24: a pass or a retry that is requested while another pass stops never starts during shutdown")
  func shutdownAbandons() throws {
    var story = try launched()
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.tell(.shutdownRequested) == ["pass 3 abandoned"])
    #expect(
      try story.finish("y") == [
        "pass 2 active cancelled", "pass 3 active started", "pass 3 active cancelled", "finish",
      ])
    var delayed = Story([launch("a").retry(2)])
    _ = try delayed.tell(.started)
    _ = try delayed.fail("a")
    #expect(try delayed.tell(.shutdownRequested) == ["pass 1 launch cancelled", "finish"])
    #expect(delayed.machine.nextDeadline == nil)
  }
}
