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

  @Test("S32: the end of a process that isn't ready, or of no process, changes nothing")
  func others() throws {
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
      for name in ["web", "b", "c", "a"] { _ = try story.finish(name) }
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
    #expect(try story.tell(.processEnded("web")) == [])
    _ = try story.tell(.launched)
    _ = try story.finish("a")
    _ = try story.finish("web")
    _ = try story.fail("b")
    #expect(try story.tell(.processEnded("web")) == [])
    #expect(try story.tell(.launched).contains("run 5 web"))
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
}
