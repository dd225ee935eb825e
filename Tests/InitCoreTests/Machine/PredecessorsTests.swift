import InitCore
import InitWords
import Testing

@Suite("S6: after")
struct PredecessorsTests {
  private func configuration(_ concurrency: Int = 3, keepsGoing: Bool = false) -> Machine.Configuration {
    Machine.Configuration(concurrency: concurrency, keepsGoing: keepsGoing)
  }

  private func started(
    _ declarations: [Declaration], _ configuration: Machine.Configuration
  ) throws -> (Story, [String]) {
    var story = Story(declarations, configuration)
    let effects = try story.tell(.started)
    return (story, effects.filter { $0.hasPrefix("run") })
  }

  @Test("S6: an initializer starts after its predecessor has completed, whichever is declared first")
  func completed() throws {
    for declarations in [[launch("a").after("b"), launch("b")], [launch("b"), launch("a").after("b")]] {
      var (story, runs) = try started(declarations, configuration())
      #expect(runs == ["run 1 b"])
      #expect(story.status("a") == .waiting)
      #expect(try story.finish("b") == ["run 2 a"])
      _ = try story.finish("a")
      #expect(story.machine.states.launch.state == .complete)
    }
  }

  @Test("S6, S8: it starts after an optional predecessor has failed, or can't run because of a failure")
  func failed() throws {
    var (story, runs) = try started(
      [launch("a").after("c"), launch("b").optional(), launch("c", "b").optional()], configuration())
    #expect(runs == ["run 1 b"])
    #expect(try story.fail("b") == ["run 2 a"])
    #expect(story.status("c") == .notRun)
    _ = try story.finish("a")
    #expect(story.machine.states.launch.state == .complete)
  }

  @Test("S6, S28: in a pass that keeps going it starts after a failure; in another one the pass ends")
  func keepsGoing() throws {
    var (story, _) = try started([launch("a").after("b"), launch("b")], configuration(keepsGoing: true))
    #expect(try story.fail("b") == ["run 2 a"])
    #expect(try story.finish("a").contains { $0.hasPrefix("pass 1 launch failed") })
    var (other, _) = try started([launch("a").after("b"), launch("b")], configuration())
    #expect(try other.fail("b").contains { $0.hasPrefix("pass 1 launch failed") })
    #expect(other.status("a") == .notRun)
  }

  @Test("S6, S16: an attempt that will be repeated isn't the end")
  func retried() throws {
    var (story, _) = try started([launch("a").after("b"), launch("b").retry(2).optional()], configuration())
    #expect(try story.fail("b") == [])
    #expect(try story.wait(.seconds(1)) == ["run 2 b"])
    #expect(try story.fail("b") == ["run 3 a"])
  }

  @Test("S6, S29, S30: it starts after a predecessor that is skipped")
  func skipped() throws {
    var (story, runs) = try started([launch("a").after("b"), launch("b").condition()], configuration())
    #expect(runs == [])
    #expect(try story.answer("b", "no") == ["run 1 a"])
  }

  @Test("S6, S34: it starts after a predecessor that an operator has cancelled, also between two attempts")
  func cancelled() throws {
    var (story, _) = try started([launch("a").after("b"), launch("b").optional()], configuration())
    #expect(try story.tell(.runsCancelled(["b"], by: "ops")) == ["cancel 1 operator"])
    #expect(try story.fail("b") == ["run 2 a"])
    (story, _) = try started([launch("a").after("b"), launch("b").retry(2).optional()], configuration())
    #expect(try story.fail("b") == [])
    #expect(try story.tell(.runsCancelled(["b"], by: "ops")) == ["run 2 a"])
  }

  @Test("S6, S15: a predecessor whose time is up has ended once it has stopped")
  func timedOut() throws {
    var (story, _) = try started(
      [launch("a").after("b"), launch("b").timeout(.seconds(1)).optional()], configuration())
    #expect(try story.wait(.seconds(1)) == ["cancel 1 timeout"])
    #expect(try story.finish("b") == ["run 2 a"])
  }

  @Test("S6, S20: a predecessor whose worker never comes has ended when the pass gives it up")
  func lost() throws {
    var configuration = configuration()
    configuration.acceptsWorkers = true
    var story = Story([(launch("a").after("w"), .command), (launch("w").optional(), .worker)], configuration)
    #expect(try story.tell(.started).contains { $0.hasPrefix("run") } == false)
    #expect(try story.wait(.seconds(10)) == ["run 1 a"])
  }

  @Test("S6, S28: it pulls nothing in: what isn't selected, is skipped, or isn't declared isn't waited for")
  func outside() throws {
    var configuration = configuration()
    configuration.only = ["a"]
    #expect(try started([launch("a").after("b"), launch("b")], configuration).1 == ["run 1 a"])
    configuration.only = []
    configuration.skipped = ["b"]
    #expect(try started([launch("a").after("b", "nobody"), launch("b")], configuration).1 == ["run 1 a"])
  }

  @Test("S3, S6: an active initializer that launch runs as a dependency is of another phase: it isn't waited for")
  func otherPhase() throws {
    let (_, runs) = try started(
      [launch("l").after("z"), active("z"), launch("m", "z"), active("y").after("l")], configuration())
    #expect(runs == ["run 1 l", "run 2 z"])
  }

  @Test(
    "S3, S6: two active initializers that launch runs as dependencies keep their order, there and in an active pass")
  func ofActive() throws {
    var (story, runs) = try started(
      [active("y").after("z"), active("z"), launch("l", "y", "z")], configuration())
    #expect(runs == ["run 1 z"])
    #expect(try story.finish("z") == ["run 2 y"])
    _ = try story.finish("y")
    _ = try story.finish("l")
    #expect(try story.tell(.activated(hold: nil)).last == "run 4 z")
    #expect(try story.finish("z") == ["run 5 y"])
  }

  @Test("S9, S26: what has completed before the pass isn't waited for; what runs again is")
  func nextPass() throws {
    var (story, _) = try started([launch("a").after("b"), launch("b"), launch("c")], configuration())
    _ = try story.finish("b")
    _ = try story.fail("c")
    _ = try story.finish("a")
    #expect(try story.tell(.launched).suffix(2) == ["run 4 a", "run 5 c"])
    _ = try story.finish("a")
    _ = try story.finish("c")
    #expect(try story.tell(.rerunRequested(["a"], withDependents: false)).last == "run 6 a")
    // The next pass runs both, in their order.
    #expect(try story.tell(.rerunRequested(["b"], withDependents: false)) == [])
    #expect(try story.tell(.rerunRequested(["a"], withDependents: false)) == [])
    #expect(try story.finish("a").last == "run 7 b")
    #expect(try story.finish("b") == ["run 8 a"])
  }

  @Test("S26: a rerun of the predecessor makes nothing stale, and reruns nothing")
  func notDependent() throws {
    var (story, _) = try started([launch("a").after("b"), launch("b")], configuration())
    _ = try story.finish("b")
    _ = try story.finish("a")
    #expect(try story.tell(.rerunRequested(["b"], withDependents: true)).last == "run 3 b")
    #expect(try story.finish("b").contains { $0.hasPrefix("run") } == false)
    #expect(story.machine.initializer(named: "a")?.isStale == false)
  }

  @Test("S6, S33: while it waits it has no place, neither of the concurrency nor of its group")
  func places() throws {
    var configuration = configuration(2)
    configuration.groups = ["g": 1]
    var (story, runs) = try started(
      [launch("a").after("c").group("g"), launch("b").group("g"), launch("c")], configuration)
    #expect(runs == ["run 1 c", "run 2 b"])
    #expect(try story.finish("c") == [])
    #expect(try story.finish("b") == ["run 3 a"])
  }

  @Test("S5, S6: a circle of predecessors and dependencies fails the pass, unless it isn't wholly part of it")
  func circle() throws {
    var story = Story([launch("a").after("b"), launch("b", "c"), launch("c").after("a")], configuration())
    _ = try story.tell(.started)
    #expect(story.machine.states.launch.state == .failed(.circularDependency(["a", "b", "c", "a"])))
    var part = configuration()
    part.only = ["b"]
    #expect(try started([launch("a").after("b"), launch("b", "c"), launch("c").after("a")], part).1 == ["run 1 c"])
    #expect(try started([launch("a").after("z"), active("z", "a")], configuration()).1 == ["run 1 a"])
  }

  @Test("S6, S27: a reload takes the wait away, or adds it, for what hasn't started")
  func reloaded() throws {
    var (story, _) = try started([launch("a").after("b"), launch("b"), launch("c", "b")], configuration())
    var reload = Reload(changed: [.init(launch("a"), .command, isOfWork: false)])
    #expect(try story.tell(.reloaded(reload)) == ["run 2 a"])
    reload = Reload(changed: [.init(launch("c", "b").after("a"), .command, isOfWork: false)])
    #expect(try story.tell(.reloaded(reload)) == [])
    #expect(try story.finish("b") == [])
    #expect(try story.finish("a") == ["run 3 c"])
  }

  @Test("S6, S21, S27: a predecessor that a reload removes isn't waited for; one that is added again is")
  func removed() throws {
    var (story, _) = try started([launch("a").after("b"), launch("b"), launch("c")], configuration(2))
    #expect(try story.tell(.reloaded(Reload(removed: ["b"]))) == ["cancel 1 unregistered"])
    _ = try story.fail("b")
    #expect(story.status("a") == .running)
    (story, _) = try started([launch("a").after("b"), launch("b"), launch("c")], configuration(1))
    let again = Reload(added: [.init(launch("b"), .command)], removed: ["b"])
    #expect(try story.tell(.reloaded(again)) == ["cancel 1 unregistered"])
    #expect(try story.finish("b") == ["run 2 b"])
    #expect(try story.finish("b") == ["run 3 a"])
  }

  @Test("S6, S19: a new plan in the middle of the pass knows which predecessors have failed, or couldn't run")
  func replanned() throws {
    var configuration = configuration(1)
    configuration.acceptsWorkers = true
    var (story, runs) = try started(
      [launch("a").after("b", "c", "d"), launch("b").optional(), launch("c", "b").optional(), launch("d")],
      configuration)
    #expect(runs == ["run 1 b"])
    #expect(try story.fail("b") == ["run 2 d"])
    #expect(try story.register(1, ["w"]) == [])
    #expect(try story.finish("d") == ["run 3 a"])
  }

  @Test("S6: the record of a run says when its predecessors had ended, and which")
  func recorded() throws {
    var story = Story(
      [launch("a", "c").after("b", "e"), launch("b").optional(), launch("c"), launch("e")], configuration())
    _ = try story.tell(.started)
    _ = try story.finish("c")
    _ = try story.finish("e")
    story.world.now += .seconds(2)
    _ = try story.fail("b")
    story.world.now += .seconds(1)
    let effects = try story.world.take(.runFinished(run: story.run(of: "a"), .success))
    let record = effects.compactMap { if case .publish(.runEnded(let record)) = $0 { record } else { nil } }.first
    #expect(record?.waitedFor == ["c", "b", "e"])
    #expect(record?.ready == .seconds(2))
  }
}
