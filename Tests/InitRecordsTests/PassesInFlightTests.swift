import Testing

@testable import InitRecords

@Suite("PassesInFlight")
struct PassesInFlightTests {
  @Test("Passes in flight are recorded once a second at most, and less often with many initializers")
  func pause() {
    #expect(PassesInFlight.pause(0) == .seconds(1))
    #expect(PassesInFlight.pause(500) == .seconds(1))
    #expect(PassesInFlight.pause(501) == .milliseconds(1002))
    #expect(PassesInFlight.pause(10_000) == .seconds(20))
  }
}
