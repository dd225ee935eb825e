import Testing

@testable import InitClient

struct BackoffTests {
  @Test("Delays grow by the factor, from the first to the longest")
  func growth() {
    var backoff = Backoff(first: .milliseconds(50), factor: 2, longest: .milliseconds(300))
    let waits = (0..<5).map { _ in backoff.next(jitter: 1) }
    #expect(
      waits == [.milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(300), .milliseconds(300)])
  }

  @Test("Jitter shortens a delay by up to half")
  func jitter() {
    var backoff = Backoff(first: .milliseconds(100), factor: 1, longest: .seconds(1))
    #expect(backoff.next(jitter: 0) == .milliseconds(50))
    #expect(backoff.next(jitter: 0.5) == .milliseconds(75))
  }

  @Test("After success the delays restart")
  func reset() {
    var backoff = Backoff(first: .milliseconds(50), factor: 2, longest: .seconds(1))
    _ = (0..<3).map { _ in backoff.next() }
    backoff.reset()
    #expect(backoff.next(jitter: 1) == .milliseconds(50))
  }

  @Test("The delay is at most a second, regardless of the number of attempts")
  func bounded() {
    var backoff = Backoff.reconnecting
    for _ in 0..<10_000 { #expect(backoff.next() <= .seconds(1)) }
  }
}
