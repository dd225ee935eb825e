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
