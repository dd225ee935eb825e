import Testing

@testable import InitSupervisor

@Suite("LinePace")
struct LinePaceTests {
  @Test("A line like the one before is logged once a second, with the number of those that were omitted")
  func pace() {
    var pace = LinePace()
    #expect(pace.admits("a", at: .zero) == "")
    #expect(pace.admits("a", at: .milliseconds(1)) == nil)
    #expect(pace.admits("a", at: .milliseconds(999)) == nil)
    #expect(pace.admits("a", at: .seconds(1)) == "; 2 lines like the one before were omitted")
    #expect(pace.admits("a", at: .seconds(2)) == "")
  }

  @Test("Another line is logged at once")
  func other() {
    var pace = LinePace()
    _ = pace.admits("a", at: .zero)
    _ = pace.admits("a", at: .zero)
    #expect(pace.admits("b", at: .zero) == "; a line like the one before was omitted")
    #expect(pace.admits("b", at: .zero) == nil)
  }
}
