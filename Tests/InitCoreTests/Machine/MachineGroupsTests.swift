import InitCore
import InitWords
import Testing

@Suite("S33: groups")
struct MachineGroupsTests {
  private func configuration(_ concurrency: Int, _ groups: [String: Int]) -> Machine.Configuration {
    var configuration = Machine.Configuration(concurrency: concurrency, cancelGrace: .seconds(5))
    configuration.groups = groups
    return configuration
  }

  @Test("S33: at most so many of a group run at once, within the concurrency")
  func places() throws {
    var story = Story(
      [launch("a").group("g"), launch("b").group("g"), launch("c").group("g"), launch("d"), launch("e")],
      configuration(4, ["g": 2]))
    #expect(try story.tell(.started).suffix(4) == ["run 1 a", "run 2 b", "run 3 d", "run 4 e"])
    #expect(try story.finish("d") == [])
    #expect(try story.finish("b") == ["run 5 c"])
  }

  @Test("S6, S33: of those that can start, the first in order starts")
  func order() throws {
    var story = Story(
      [
        launch("a").group("g"), launch("b").group("g"), launch("c", "d").group("g"), launch("d"),
        launch("e").group("g"),
      ],
      configuration(3, ["g": 1]))
    #expect(try story.tell(.started).suffix(2) == ["run 1 a", "run 2 d"])
    // Both b and c are held now.
    #expect(try story.finish("d") == [])
    #expect(try story.finish("a") == ["run 3 b"])
    #expect(try story.finish("b") == ["run 4 c"])
    #expect(try story.finish("c") == ["run 5 e"])
  }

  @Test("S13, S33: a run that was asked to stop occupies its place in its group until it has stopped")
  func stopping() throws {
    var story = Story(
      [launch("a").group("g").timeout(.seconds(1)).optional(), launch("b").group("g"), launch("c")],
      configuration(3, ["g": 1]))
    #expect(try story.tell(.started).suffix(2) == ["run 1 a", "run 2 c"])
    #expect(try story.wait(.seconds(1)) == ["cancel 1 timeout"])
    #expect(try story.finish("c") == [])
    #expect(try story.wait(.seconds(5)) == ["kill 1"])
    #expect(try story.fail("a") == ["run 3 b"])
  }

  @Test("S16, S33: an initializer between two attempts keeps its place in its group")
  func delayed() throws {
    var story = Story(
      [launch("a").group("g").retry(2), launch("b").group("g"), launch("c")], configuration(3, ["g": 1]))
    _ = try story.tell(.started)
    #expect(try story.fail("a") == [])
    #expect(try story.finish("c") == [])
    #expect(try story.wait(.seconds(1)) == ["run 3 a"])
    #expect(try story.finish("a") == ["run 4 b"])
  }

  @Test("S19, S33: a registration that replans the pass doesn't give a group more places")
  func replanned() throws {
    var configuration = configuration(3, ["g": 1])
    configuration.acceptsWorkers = true
    var story = Story([launch("a").group("g"), launch("b").group("g"), launch("c")], configuration)
    _ = try story.tell(.started)
    #expect(try story.register(1, ["w"]) == ["run 3 w"])
    #expect(try story.finish("a") == ["run 4 b"])
  }

  @Test("S10, S14, S33: the places are free again for the next pass")
  func nextPass() throws {
    var story = Story([active("a").group("g"), active("b").group("g")], configuration(2, ["g": 1]))
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.finish("a").last == "run 2 a")
    #expect(try story.finish("a") == ["run 3 b"])
    _ = try story.finish("b")
    #expect(story.machine.states.isReady)
  }

  @Test("S33: a worker registers a name of a group, and the manifest's group stays")
  func worker() throws {
    var configuration = configuration(3, ["g": 1])
    configuration.acceptsWorkers = true
    var story = Story([(launch("a").group("g"), .command), (launch("w").group("g"), .worker)], configuration)
    _ = try story.tell(.started)
    #expect(try story.register(1, ["w"]) == [])
    #expect(try story.finish("a") == ["run 2 w"])
  }
}
