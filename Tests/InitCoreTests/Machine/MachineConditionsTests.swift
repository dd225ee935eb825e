import InitCore
import InitWords
import Testing

@Suite("S29: conditions")
struct MachineConditionsTests {
  @Test("S29: a condition is checked when its turn comes, and the initializer runs if it holds")
  func holds() throws {
    var story = Story([launch("a"), launch("b", "a").condition()])
    #expect(try story.tell(.started).last == "run 1 a")
    #expect(try story.finish("a") == ["check 1 b"])
    #expect(story.status("b") == .waiting)
    #expect(try story.answer("b") == ["run 2 b"])
    _ = try story.finish("b")
    #expect(story.machine.states.launch.state == .complete)
  }

  @Test("S29: otherwise it is skipped with the reason, and its dependents go on")
  func skipped() throws {
    var story = Story([launch("a").condition(), launch("b", "a"), active("c", "a")])
    #expect(try story.tell(.started).last == "check 1 a")
    #expect(try story.answer("a", "CI is not set") == ["run 1 b"])
    #expect(story.machine.initializer(named: "a")?.status == .skipped)
    #expect(story.machine.initializer(named: "a")?.skipReason == .condition("CI is not set"))
    #expect(story.machine.outcome(of: "a") == .complete)
    _ = try story.finish("b")
    #expect(try story.tell(.activated(hold: nil)).last == "run 2 c")
  }

  @Test(
    "S26, S37: a check and a run say whether somebody has requested them, by name or by a dependency, in that pass only"
  )
  func requested() throws {
    var story = Story([launch("a").condition(), launch("b", "a"), launch("c")])
    _ = try story.tell(.started)
    _ = try story.answer("a", "no")
    _ = try story.finish("b")
    _ = try story.finish("c")
    story.showsRequests = true
    #expect(try story.tell(.rerunRequested(["a"], withDependents: true)).last == "check 2 a forced")
    #expect(try story.answer("a") == ["run 3 a ofItself"])
    #expect(try story.finish("a") == ["run 4 b ofDependency"])
    // A request in a pass is for the next one.
    _ = try story.tell(.rerunRequested(["b"], withDependents: false))
    #expect(try story.finish("b").last == "run 5 b ofItself")
    _ = try story.fail("b")
    #expect(try story.tell(.launched).last == "run 6 b -")
  }

  @Test("S29: an active initializer's condition is checked at each activation")
  func eachActivation() throws {
    var story = Story([active("a").condition()])
    _ = try story.tell(.started)
    #expect(try story.tell(.activated(hold: nil)).last == "check 1 a")
    #expect(try story.answer("a", "no").first == "pass 2 active complete")
    #expect(try story.tell(.activated(hold: nil)).last == "check 2 a")
    #expect(try story.answer("a") == ["run 1 a"])
    #expect(story.machine.initializer(named: "a")?.skipReason == nil)
  }

  @Test("S6, S29: whose turn has come keeps its place while its condition is checked")
  func place() throws {
    var story = Story([launch("a").condition(), launch("b"), launch("c")], .init(concurrency: 2))
    #expect(try story.tell(.started).suffix(2) == ["check 1 a", "run 1 b"])
    #expect(try story.finish("b") == ["run 2 c"])
    #expect(try story.answer("a") == ["run 3 a"])
  }

  @Test("S20, S29: an initializer that is skipped needs no worker")
  func worker() throws {
    var story = Story([(launch("w").condition(), .worker), (launch("a", "w"), .command)], .init(acceptsWorkers: true))
    #expect(try story.tell(.started).last == "check 1 w")
    #expect(try story.answer("w", "no") == ["run 1 a"])
  }

  @Test("S20, S29: one whose condition holds waits for its worker, and isn't checked again")
  func waitsForWorker() throws {
    var story = Story([(launch("w").condition(), .worker)], .init(acceptsWorkers: true))
    _ = try story.tell(.started)
    #expect(try story.answer("w") == [])
    #expect(try story.register(1, ["w"]) == ["run 1 w"])
  }

  @Test("S16, S29: a retry isn't checked again")
  func retry() throws {
    var story = Story([launch("a").condition().retry(2)])
    _ = try story.tell(.started)
    _ = try story.answer("a")
    _ = try story.fail("a")
    #expect(try story.wait(.seconds(1)) == ["run 2 a"])
  }

  @Test("S8, S11, S29: an answer after its pass has ended has no effect")
  func late() throws {
    var story = Story([active("a").condition()])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    let number = try #require(story.world.checks.keys.first)
    #expect(try story.tell(.deactivated).first == "pass 2 active cancelled")
    #expect(try story.tell(.conditionChecked(check: number, unmet: nil)) == [])
    #expect(story.status("a") == .idle)
    #expect(try story.tell(.activated(hold: nil)).last == "check 2 a")
    #expect(try story.tell(.conditionChecked(check: number, unmet: "no")) == [])
    #expect(try story.answer("a") == ["run 1 a"])
  }

  @Test("S19, S29: a question that is open when the pass is planned again is asked again")
  func replanned() throws {
    var story = Story([launch("a").condition()], .init(acceptsWorkers: true))
    _ = try story.tell(.started)
    let number = try #require(story.world.checks.keys.first)
    #expect(try story.register(1, ["w"]) == ["check 2 a"])
    #expect(try story.tell(.conditionChecked(check: number, unmet: "no")) == [])
    #expect(try story.answer("a") == ["run 1 a"])
  }
}
