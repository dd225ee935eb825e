import Testing

@testable import initctl

struct DrawingPaceTests {
  @Test("A change is drawn at most ten times a second, durations five times, and an idle screen once")
  func pauses() {
    var pace = DrawingPace()
    #expect(pace.due(isStale: false, isRunning: false) == .zero)
    pace.drew(at: .seconds(9), composedIn: .milliseconds(1))
    #expect(pace.due(isStale: true, isRunning: true) == .milliseconds(9100))
    #expect(pace.due(isStale: false, isRunning: true) == .milliseconds(9200))
    #expect(pace.due(isStale: false, isRunning: false) == .seconds(10))
  }

  @Test("A screen that takes long to compose is drawn less often")
  func cost() {
    var pace = DrawingPace()
    pace.drew(at: .seconds(9), composedIn: .milliseconds(50))
    #expect(pace.due(isStale: true, isRunning: true) == .milliseconds(11_000))
    #expect(pace.due(isStale: false, isRunning: false) == .milliseconds(11_000))
  }

  @Test("A key and a new size are drawn at most ten times a second, however long composing takes")
  func hurry() {
    var pace = DrawingPace()
    pace.drew(at: .seconds(9), composedIn: .milliseconds(50))
    pace.hurry()
    #expect(pace.due(isStale: true, isRunning: true) == .milliseconds(9100))
    pace.drew(at: .seconds(10), composedIn: .milliseconds(50))
    #expect(pace.due(isStale: true, isRunning: true) == .milliseconds(12_000))
  }
}
