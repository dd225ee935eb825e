import EventLoop
import Testing

@testable import InitClient

@Suite("The pauses between attempts to connect")
struct ConnectPausesTests {
  private static let lost = ClientError.lost(path: "/s", reason: "the supervisor closed it")
  private static let absent = ClientError.unreachable(.notFound(path: "/s"))

  @Test("A supervisor that closes each connection is tried after pauses that grow to a second")
  func closing() {
    var pauses = ConnectPauses()
    let grown = (0..<7).map { _ in pauses.next(after: Self.lost, jitter: 1) }
    #expect(grown == [50, 100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
    #expect(pauses.next(after: Self.lost, jitter: 0) == .milliseconds(500))
  }

  @Test("While nothing listens, the pauses are short, and the others stay as long as they were")
  func absence() {
    var pauses = ConnectPauses()
    for _ in 0..<7 { _ = pauses.next(after: Self.lost) }
    for _ in 0..<30 { #expect(pauses.next(after: Self.absent) <= .milliseconds(100)) }
    #expect(pauses.next(after: Self.lost, jitter: 1) == .seconds(1))
  }

  @Test("After success the pauses restart")
  func success() {
    var pauses = ConnectPauses()
    for _ in 0..<7 { _ = pauses.next(after: Self.lost) }
    pauses.reset()
    #expect(pauses.next(after: nil, jitter: 1) == .milliseconds(50))
  }
}
