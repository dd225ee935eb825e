import InitCore
import Testing

@Suite("Stopping")
struct StoppingTests {
  @Test("S24: the last completed one is stopped first; after its timeout it is terminated, then abandoned")
  func order() {
    var stops = Stopping(["first", "second", "third"], timeout: .seconds(10), grace: .seconds(5))
    #expect(stops.next(at: .seconds(1)) == "third" && stops.deadline == .seconds(11))
    stops.end()
    #expect(stops.name == nil && stops.deadline == nil && stops.left == ["second", "first"])
    #expect(stops.next(at: .seconds(2)) == "second" && stops.deadline == .seconds(12))
    #expect(stops.hurry(at: .seconds(12)) == .cancel && stops.deadline == .seconds(17))
    #expect(stops.hurry(at: .seconds(17)) == .giveUp && stops.deadline == nil && !stops.isOver)
    #expect(stops.next(at: .seconds(17)) == "first" && stops.deadline == .seconds(27))
    stops.end()
    #expect(stops.next(at: .seconds(18)) == nil && stops.isOver)
  }

  @Test("S24: a stop that follows a terminated one is terminated, too, before it is abandoned")
  func each() {
    var stops = Stopping(["first", "second"], timeout: .seconds(10), grace: .seconds(5))
    #expect(stops.next(at: .seconds(0)) == "second")
    #expect(stops.hurry(at: .seconds(10)) == .cancel)
    stops.end()
    #expect(stops.next(at: .seconds(11)) == "first")
    #expect(stops.hurry(at: .seconds(21)) == .cancel && stops.deadline == .seconds(26))
    #expect(stops.hurry(at: .seconds(26)) == .giveUp)
  }
}
