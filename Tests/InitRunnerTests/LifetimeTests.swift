import Testing

@testable import InitRunner

@Suite("Lifetime")
struct LifetimeTests {
  @Test("The time in which a client in the process waits doesn't count, even if several wait or it isn't over")
  func waits() {
    var lifetime = Lifetime(startedAt: .seconds(10))
    #expect(lifetime.lived(at: .seconds(15)) == .seconds(5))
    lifetime.beginWait(1, at: .seconds(15))
    #expect(lifetime.lived(at: .seconds(40)) == .seconds(5))
    lifetime.beginWait(2, at: .seconds(20))
    lifetime.beginWait(2, at: .seconds(21))
    lifetime.endWait(1, at: .seconds(30))
    #expect(lifetime.lived(at: .seconds(40)) == .seconds(5))
    lifetime.endWait(3, at: .seconds(35))
    lifetime.endWait(2, at: .seconds(40))
    lifetime.endWait(2, at: .seconds(41))
    #expect(lifetime.lived(at: .seconds(42)) == .seconds(7))
    lifetime.beginWait(3, at: .seconds(42))
    lifetime.endWait(3, at: .seconds(43))
    #expect(lifetime.lived(at: .seconds(45)) == .seconds(9))
  }
}
