import InitCore
import InitWords
import Testing

@Suite("S28: initializers that are skipped or selected")
struct SelectionTests {
  private func configuration(only: Set<String> = [], skipped: Set<String> = []) -> Machine.Configuration {
    var configuration = Machine.Configuration(acceptsWorkers: true)
    configuration.only = only
    configuration.skipped = skipped
    return configuration
  }

  @Test("S28: a skipped initializer isn't run, and its dependents go on")
  func skipped() throws {
    var story = Story([launch("a"), launch("b", "a"), active("c", "b")], configuration(skipped: ["a", "c"]))
    #expect(story.statuses == [.skipped, .idle, .skipped])
    #expect(try story.tell(.started).last == "run 1 b")
    _ = try story.finish("b")
    #expect(story.machine.states.launch.state == .complete)
    #expect(try story.tell(.activated(hold: nil)).first == "pass 2 active started")
    #expect(story.machine.states.isReady)
    #expect(story.statuses == [.skipped, .complete, .skipped])
    #expect(story.machine.outcome(of: "a") == .complete)
  }

  @Test("S19, S28: a skipped name that a worker registers doesn't begin a pass")
  func skippedWorker() throws {
    var story = Story([launch("a", "w")], configuration(skipped: ["w"]))
    #expect(try story.tell(.started) == ["pass 1 launch started", "run 1 a"])
    _ = try story.register(1, ["w"])
    #expect(story.status("w") == .skipped)
    #expect(try story.finish("a").first == "pass 1 launch complete")
    #expect(try story.tell(.workerDisconnected(1)) == [])
    #expect(try story.register(2, ["w"], process: 200) == [])
  }

  @Test("S28: what an earlier supervisor completed stays skipped")
  func remembered() throws {
    var story = Story([launch("a")], configuration(skipped: ["a"]))
    _ = try story.tell(.remembered(["a"]))
    #expect(story.status("a") == .skipped)
  }

  @Test("S28: only the selected ones and what they need run, in both phases")
  func only() throws {
    var story = Story(
      [launch("a"), launch("b"), active("c"), active("d", "b", "e"), active("e")], configuration(only: ["d"]))
    #expect(try story.tell(.started).last == "run 1 b")
    _ = try story.finish("b")
    #expect(try story.tell(.activated(hold: nil)).last == "run 2 e")
    #expect(try story.finish("e") == ["run 3 d"])
    _ = try story.finish("d")
    #expect(story.machine.states.isReady)
    #expect(story.statuses == [.idle, .complete, .idle, .complete, .complete])
    #expect(story.machine.initializer(named: "a")?.skipReason == .unselected)
    #expect(story.machine.initializer(named: "b")?.skipReason == nil)
  }

  @Test("S19, S28: a late registration joins only if a selected one needs it")
  func lateRegistration() throws {
    var story = Story([launch("a"), launch("b", "w")], configuration(only: ["b"]))
    _ = try story.tell(.started)
    #expect(try story.register(1, ["x"]) == [])
    #expect(try story.register(1, [Registration("w", dependencies: ["v"])]) == [])
    #expect(story.machine.initializer(named: "x")?.skipReason == .unselected)
    #expect(try story.register(1, ["v"]) == ["run 1 v"])
    _ = try story.finish("v")
    _ = try story.finish("w")
    _ = try story.finish("b")
    #expect(story.machine.states.launch.state == .complete)
    #expect(try story.register(1, ["y"]) == [])
  }

  @Test("S19, S28: what a late registration needs runs first, even in a launch pass that had completed without it")
  func lateNeed() throws {
    var story = Story([launch("a"), active("b", "w")], configuration(only: ["b"]))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(
      try story.register(1, [Registration("w", priority: .appActive, dependencies: ["a"])]).suffix(2) == [
        "launch pending", "run 1 a",
      ])
    #expect(try story.finish("a").last == "run 2 w")
  }

  @Test("S5, S28: a fault among those that aren't selected doesn't fail the pass")
  func fault() throws {
    var story = Story([launch("a", "b"), launch("b", "a"), launch("c")], configuration(only: ["c"]))
    #expect(try story.tell(.started).last == "run 1 c")
  }
}
