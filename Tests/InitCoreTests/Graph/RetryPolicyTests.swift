import InitCore
import InitText
import Testing

@Suite("Retry policy")
struct RetryPolicyTests {
  @Test("S16: the defaults are 1 attempt, 1 s delay, factor 2, 30 s at most")
  func defaults() {
    #expect(RetryPolicy.never == RetryPolicy(attempts: 1, delay: .seconds(1), factor: 2, maxDelay: .seconds(30)))
  }

  @Test(
    "S16: the delay grows by the factor up to the maximum, lengthened by at most a tenth",
    arguments: [(1, 1.0), (2, 2), (3, 4), (4, 8), (5, 16), (6, 30), (7, 30), (1_000_000_000, 30)])
  func grows(attempt: Int, seconds: Double) {
    let policy = RetryPolicy(attempts: 10)
    for seed in 0..<100 as Range<UInt64> {
      let wait = policy.wait(afterAttempt: attempt, seed: seed).inSeconds
      #expect(wait >= seconds && wait <= min(seconds * 1.1, 30), "seed \(seed): \(wait)")
    }
  }

  @Test("S16: the jitter depends only on the seed: the same seed gives the same delay, other seeds differ")
  func jitter() {
    let policy = RetryPolicy(attempts: 2)
    let waits = (0..<50 as Range<UInt64>).map { policy.wait(afterAttempt: 1, seed: $0) }
    #expect(waits == (0..<50 as Range<UInt64>).map { policy.wait(afterAttempt: 1, seed: $0) })
    #expect(Set(waits).count > 45)
  }

  @Test("Invalid values are corrected instead of trapping")
  func clamps() {
    #expect(
      RetryPolicy(attempts: 0, delay: .seconds(-1), factor: 0, maxDelay: .seconds(-1))
        == RetryPolicy(attempts: 1, delay: .zero, factor: 1, maxDelay: .zero))
    #expect(RetryPolicy(factor: .nan).factor == 1)
    #expect(RetryPolicy(attempts: 2, delay: .zero).wait(afterAttempt: 1, seed: 7) == .zero)
    #expect(RetryPolicy(attempts: 2, factor: .infinity).wait(afterAttempt: 3, seed: 7) == .seconds(30))
    #expect(RetryPolicy(delay: .seconds(60)).wait(afterAttempt: 1, seed: 7) == .seconds(30))
  }

  @Test(
    "A number of seconds is read back unchanged",
    arguments: [0, 0.1, 0.3, 0.6, 0.7, 1.1, 30, 86_400.25, 999_999_999])
  func seconds(number: Double) {
    #expect(Duration.seconds(number).inSeconds == number)
    #expect(Duration.seconds(-number).inSeconds == -number)
  }
}
