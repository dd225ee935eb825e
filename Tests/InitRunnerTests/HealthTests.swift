import Testing

@testable import InitRunner

@Suite("Health")
struct HealthTests {
  @Test("S38: failures in a row make a process unhealthy once, and one success ends that")
  func tries() {
    var health = Health(tries: 2, gap: .seconds(10))
    #expect(health.failed("a", at: .seconds(1)) == .none)
    #expect(health.succeeded(at: .seconds(2)) == .none)
    #expect(health.failed("b", at: .seconds(3)) == .none)
    #expect(health.failed("c", at: .seconds(4)) == .becameUnhealthy)
    #expect(health.failed("d", at: .seconds(5)) == .none)
    #expect(health.illness == Health.Illness(since: .seconds(4), failure: "d"))
    #expect(health.succeeded(at: .seconds(6)) == .recovered && health.illness == nil)
  }

  @Test("S38: after a gap, earlier failures don't count")
  func gap() {
    var health = Health(tries: 2, gap: .seconds(10))
    #expect(health.failed("a", at: .seconds(1)) == .none)
    #expect(health.failed("b", at: .seconds(12)) == .none)
    #expect(health.failed("c", at: .seconds(22)) == .becameUnhealthy)
  }

  @Test("S38: a process that was unhealthy stays so until a check of its next start succeeds")
  func inherited() {
    var health = Health(tries: 1, gap: .seconds(10), isIll: true, at: .zero)
    #expect(health.failed("a", at: .seconds(1)) == .becameUnhealthy)
    #expect(health.illness == Health.Illness(since: .zero, failure: "a"))
    health = Health(tries: 1, gap: .seconds(10), isIll: true, at: .zero)
    #expect(health.succeeded(at: .seconds(1)) == .recovered)
  }
}
