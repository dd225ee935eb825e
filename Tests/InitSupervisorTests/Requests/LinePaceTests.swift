import Testing

@testable import InitSupervisor

@Suite("LinePace")
struct LinePaceTests {
  @Test("A line like the one before is logged once a second, with the number of those that were omitted")
  func pace() {
    var pace = LinePace()
    let moments = [Duration.zero, .milliseconds(1), .milliseconds(999), .seconds(1), .seconds(2)]
    let additions = moments.map { pace.admits("a", at: $0) }
    #expect(additions == ["", nil, nil, "; 2 lines like the one before were omitted", ""])
  }

  @Test("Another line is logged at once")
  func other() {
    var pace = LinePace()
    let additions = ["a", "a", "b", "b"].map { pace.admits($0, at: .zero) }
    #expect(additions == ["", nil, "; a line like the one before was omitted", nil])
  }
}
