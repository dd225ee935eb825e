import InitCore
import InitWords
import Testing

@Suite("Processes that a person has stopped")
struct MachineStoppedTests {
  private func launched(_ declared: [(Declaration, ProviderKind)]) throws -> Story {
    var story = Story(declared, .init(concurrency: 2))
    _ = try story.tell(.started)
    for (declaration, _) in declared { _ = try story.finish(declaration.name) }
    return story
  }

  @Test("S32: launch is pending without a pass, and complete again once it has started; dependents stay complete")
  func pending() throws {
    var story = try launched([(launch("web"), .process), (launch("seed", "web"), .command)])
    _ = try story.tell(.processStopped("web"))
    #expect(story.machine.states.launch.state == .pending)
    #expect(story.status("web") == .idle && story.status("seed") == .complete)
    #expect(try story.tell(.processStopped("web")) == [], "already stopped")
    _ = try story.tell(.processStarted("web"))
    _ = try story.finish("web")
    #expect(story.machine.states.launch.state == .complete)
    #expect(try story.tell(.processStarted("web")) == [], "not stopped")
  }

  @Test("S26, S32: others run again while it is stopped; it doesn't")
  func rerun() throws {
    var story = try launched([(launch("web"), .process), (launch("seed"), .command)])
    _ = try story.tell(.processStopped("web"))
    #expect(throws: Refusal.stopped([InitializerStanding("web", .idle)])) {
      try story.tell(.rerunRequested(["seed", "web"], withDependents: false))
    }
    _ = try story.tell(.rerunRequested(["seed"], withDependents: false))
    _ = try story.finish("seed")
    #expect(story.status("web") == .idle && story.machine.states.launch.state == .pending)
  }

  @Test("S6, S32: a pass waits for it if something depends on it that hasn't started, without a time limit")
  func dependents() throws {
    var story = Story([(launch("web"), .process), (launch("seed", "web"), .command)], .init(concurrency: 2))
    _ = try story.tell(.started)
    _ = try story.tell(.processStopped("web"))
    _ = try story.tell(.runFinished(run: 1, .success))
    #expect(story.status("web") == .waiting && story.status("seed") == .waiting)
    #expect(story.machine.nextDeadline == nil)
    _ = try story.tell(.processStarted("web"))
    _ = try story.finish("web")
    _ = try story.finish("seed")
    #expect(story.machine.states.launch.state == .complete)
  }

  @Test("S4, S32: an activation waits until it has started")
  func activation() throws {
    var story = try launched([(launch("web"), .process)])
    _ = try story.tell(.processStopped("web"))
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.states.active.state == .pending)
    _ = try story.tell(.processStarted("web"))
    _ = try story.finish("web")
    #expect(story.machine.states.active.state == .complete)
  }
}
