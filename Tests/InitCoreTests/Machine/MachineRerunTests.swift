import InitWords
import Testing

@testable import InitCore

/// S26: initializers run again, and make their dependents stale.
@Suite("Reruns")
struct MachineRerunTests {
  /// Returns a story with a launch chain a → b → c, and an active initializer z after a; all complete.
  private func completeStory(_ more: [Declaration] = []) throws -> Story {
    var story = Story([launch("a"), launch("b", "a"), launch("c", "b"), active("z", "a")] + more)
    _ = try story.tell(.started)
    for name in ["a", "b", "c"] { _ = try story.finish(name) }
    _ = try story.tell(.activated(hold: nil))
    while let run = story.world.runs.values.first { _ = try story.finish(run.name) }
    return story
  }

  private func stale(_ story: Story) -> [String] {
    story.machine.initializers.filter(\.isStale).map(\.declaration.name)
  }

  @Test("S26: it runs again alone, and what depends on it, directly or through others, is stale")
  func alone() throws {
    var story = try completeStory()
    #expect(
      try story.tell(.rerunRequested(["a"], withDependents: false))
        == ["pass 3 launch started", "launch pending, state pending", "run 5 a"])
    #expect(story.machine.passes(rerunning: ["a"], withDependents: false) == [3])
    #expect(stale(story) == ["b", "c", "z"])
    #expect(try story.finish("a") == ["pass 3 launch complete", "launch complete, state complete"])
    #expect(story.statuses == [.complete, .complete, .complete, .complete])
    #expect(stale(story) == ["b", "c", "z"])
  }

  @Test("S26: a stale one that runs again isn't stale any more; what depends on it is")
  func refreshed() throws {
    var story = try completeStory()
    _ = try story.tell(.rerunRequested(["a"], withDependents: false))
    _ = try story.finish("a")
    _ = try story.tell(.rerunRequested(["b"], withDependents: false))
    _ = try story.finish("b")
    #expect(stale(story) == ["c", "z"])
    _ = try story.tell(.rerunRequested(["c"], withDependents: false))
    _ = try story.finish("c")
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("z")
    #expect(stale(story) == [])
  }

  @Test("S26: with dependents all of them run again, in order, and nothing is stale at the end")
  func withDependents() throws {
    var story = try completeStory()
    _ = try story.tell(.rerunRequested(["a"], withDependents: true))
    #expect(story.machine.passes(rerunning: ["a"], withDependents: true) == [3, 4])
    #expect(story.statuses == [.running, .waiting, .waiting, .waiting])
    #expect(try story.finish("a") == ["run 6 b"])
    #expect(try story.finish("b") == ["run 7 c"])
    #expect(try story.finish("c") == ["pass 3 launch complete", "launch complete", "run 8 z"])
    #expect(try story.finish("z") == ["pass 4 active complete", "active complete, state complete"])
    #expect(stale(story) == [])
  }

  @Test("S26: while the app is inactive, active dependents are only stale")
  func inactiveDependents() throws {
    var story = try completeStory()
    _ = try story.tell(.deactivated)
    _ = try story.tell(.rerunRequested(["c"], withDependents: true))
    #expect(story.machine.passes(rerunning: ["c"], withDependents: true) == [3])
    _ = try story.finish("c")
    _ = try story.tell(.rerunRequested(["a"], withDependents: true))
    for name in ["a", "b", "c"] { _ = try story.finish(name) }
    #expect(stale(story) == ["z"])
  }

  @Test("S26: the pass follows the one in flight, in which it still counts as complete")
  func afterTheOneInFlight() throws {
    var story = Story([launch("a"), launch("b", "a")])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    #expect(try story.tell(.rerunRequested(["a"], withDependents: false)) == [])
    #expect(story.machine.states.launch == .init(state: .pending, pass: 2))
    #expect(story.machine.knowledge(of: 2) == .underWay)
    #expect(story.status("a") == .complete)
    #expect(
      try story.finish("b") == ["pass 1 launch complete", "pass 2 launch started", "run 3 a"])
    #expect(stale(story) == ["b"])
    #expect(try story.finish("a").last == "launch complete")
  }

  @Test("S26: an active one runs again only while the app is active; its pass runs nothing else that has completed")
  func whileActive() throws {
    var story = try completeStory([active("y")])
    #expect(try story.tell(.rerunRequested(["z"], withDependents: false)).last == "run 6 z")
    #expect(try story.finish("z") == ["pass 3 active complete", "active complete, state complete"])
    _ = try story.tell(.deactivated)
    let refusal = Refusal.inactive(["z"])
    #expect(throws: refusal) { try story.tell(.rerunRequested(["a", "z"], withDependents: false)) }
    #expect("\(refusal)" == "cannot rerun z: the app is inactive; the next activation runs it")
    #expect(throws: Refusal.unknownInitializer("x")) { try story.tell(.rerunRequested(["x"], withDependents: true)) }
  }

  @Test("S26, S28: what is left out isn't run again, alone or as a dependent")
  func leftOut() throws {
    var configuration = Machine.Configuration()
    configuration.only = ["a", "b", "z"]
    configuration.skipped = ["b"]
    var story = Story([launch("a"), launch("b", "a"), launch("c", "a"), active("y", "a"), active("z")], configuration)
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("z")
    let refusal = Refusal.leftOut(
      skipped: [InitializerStanding("b", .skipped)], unselected: [InitializerStanding("c", .idle)])
    #expect(throws: refusal) { try story.tell(.rerunRequested(["a", "c", "b"], withDependents: false)) }
    #expect(
      "\(refusal)"
        == "cannot rerun: b is left out by --skip, c is left out by --only; to run them, start initd without --skip b and with --only c"
    )
    #expect(
      "\(Refusal.leftOut(skipped: [InitializerStanding("b", .skipped)], unselected: []))"
        == "cannot rerun: b is left out by --skip; to run it, start initd without --skip b")
    _ = try story.tell(.rerunRequested(["a"], withDependents: true))
    #expect(story.machine.passes(rerunning: ["a"], withDependents: true) == [3])
    #expect(try story.finish("a").first == "pass 3 launch complete")
    #expect(story.statuses == [.complete, .skipped, .idle, .idle, .complete])
  }

  @Test("S26, S32: a process that runs again has its dependents run again only with onRestart: rerun")
  func process() throws {
    for reruns in [false, true] {
      let web = reruns ? launch("web").rerunningDependents() : launch("web")
      var story = Story([
        (launch("b", "web"), .command), (web, .process), (active("z", "b"), .command), (launch("a"), .command),
      ])
      _ = try story.tell(.started)
      for name in ["web", "a", "b"] { _ = try story.finish(name) }
      _ = try story.tell(.activated(hold: nil))
      _ = try story.finish("z")
      _ = try story.tell(.rerunRequested(["web"], withDependents: false))
      #expect(story.machine.passes(rerunning: ["web"], withDependents: false) == (reruns ? [3, 4] : [3]))
      #expect(try story.finish("web").first == (reruns ? "run 6 b" : "pass 3 launch complete"))
      if reruns {
        #expect(try story.finish("b").last == "run 7 z")
        _ = try story.finish("z")
      }
      #expect(stale(story) == (reruns ? [] : ["b", "z"]))
      #expect(story.machine.states.isReady)
    }
  }

  @Test("S26: a deactivation drops the rerun, and a shutdown takes none")
  func dropped() throws {
    var story = Story([active("y"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("y")
    _ = try story.tell(.rerunRequested(["y"], withDependents: false))
    #expect(try story.tell(.deactivated) == ["pass 3 abandoned", "cancel 2 deactivated", "app inactive"])
    _ = try story.finish("z")
    #expect(story.status("y") == .complete)
    _ = try story.tell(.shutdownRequested)
    #expect(throws: Refusal.shuttingDown) { try story.tell(.rerunRequested(["y"], withDependents: false)) }
  }

  @Test("S26, S14: an activation while a failing pass is stopping makes the rerun's pass an entry")
  func becomesAnEntry() throws {
    var story = Story([active("x"), active("y"), active("z")], .init(concurrency: 2))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("x")
    _ = try story.fail("y")
    _ = try story.tell(.rerunRequested(["y"], withDependents: false))
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.finish("z").suffix(2) == ["run 4 x", "run 5 y"])
  }

  @Test("S26, S9: a rerun after a failed launch is its retry")
  func afterFailure() throws {
    var story = Story([launch("a"), launch("b"), active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("a")
    _ = try story.fail("b")
    #expect(story.machine.states.active.state != .pending)
    _ = try story.tell(.rerunRequested(["a"], withDependents: false))
    #expect(story.machine.states.active.state == .pending)
    _ = try story.finish("a")
    _ = try story.finish("b")
    #expect(try story.finish("z").last == "active complete, state complete")
  }

  @Test("S26: one that fails when it runs again is failed, and launch with it; what depends on it is stale")
  func fails() throws {
    var story = try completeStory()
    _ = try story.tell(.rerunRequested(["a"], withDependents: false))
    #expect(
      try story.fail("a").last == "launch failed (a failed: exit status 1), state failed (a failed: exit status 1)")
    #expect(story.statuses == [.failed, .complete, .complete, .complete])
    #expect(stale(story) == ["b", "c", "z"])
  }

  @Test("S26, S22: one that another process takes over makes its dependents stale, too")
  func takenOver() throws {
    var story = Story(
      [(launch("w").perProcess(), .worker), (launch("b", "w"), .command)], .init(acceptsWorkers: true))
    _ = try story.tell(.started)
    _ = try story.register(1, ["w"], process: 100)
    _ = try story.finish("w")
    _ = try story.finish("b")
    _ = try story.tell(.workerDisconnected(1))
    _ = try story.register(2, ["w"], process: 200)
    #expect(stale(story) == ["b"])
  }

  @Test("S26: what an earlier supervisor has completed is stale if what it depends on runs again, or was stale before")
  func remembered() throws {
    var story = Story([launch("a").perProcess(), launch("b", "a"), launch("c"), launch("d", "c")])
    _ = try story.tell(.remembered(["b", "c", "d"], stale: ["d"]))
    #expect(stale(story) == ["d"])
    _ = try story.tell(.started)
    #expect(stale(story) == ["b", "d"])
  }

  @Test("S26, S19: an active one that runs in a later launch pass makes those stale that had used it")
  func lateLaunch() throws {
    var story = Story([(active("y"), .command), (active("z", "y"), .command)], .init(acceptsWorkers: true))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("y")
    _ = try story.finish("z")
    _ = try story.register(1, [Registration("w", dependencies: ["y"])])
    #expect(stale(story) == ["z"])
  }

  @Test("S26, S4: an activation makes nothing stale, even launch initializers that depend on active ones")
  func activations() throws {
    var story = Story([launch("a", "y"), active("y")])
    _ = try story.tell(.started)
    _ = try story.finish("y")
    _ = try story.finish("a")
    for _ in 0..<2 {
      _ = try story.tell(.activated(hold: nil))
      _ = try story.finish("y")
    }
    _ = try story.tell(.rerunRequested(["y"], withDependents: false))
    #expect(stale(story) == [])
  }

  @Test("S26: an active pass that runs something again continues its activation")
  func continues() throws {
    var story = try completeStory()
    #expect(!story.machine.continuesActivation(2))
    _ = try story.tell(.rerunRequested(["z"], withDependents: false))
    #expect(story.machine.continuesActivation(3))
  }
}
