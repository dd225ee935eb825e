internal import InitText

/// How often a failed run is retried, and the delay before each retry (S16).
public struct RetryPolicy: Hashable, Sendable {
  /// How many attempts there are, including the first.
  ///
  /// At least 1.
  public var attempts: Int
  /// The delay before the second attempt.
  public var delay: Duration
  /// The factor by which each further delay is longer than the previous one.
  ///
  /// At least 1.
  public var factor: Double
  /// The longest delay, including jitter.
  public var maxDelay: Duration

  /// Allows one attempt, without retries.
  public static let never = RetryPolicy()

  /// Creates a policy, with the defaults of S16: 1 attempt, 1 s, factor 2, at most 30 s.
  public init(
    attempts: Int = 1, delay: Duration = .seconds(1), factor: Double = 2, maxDelay: Duration = .seconds(30)
  ) {
    self.attempts = max(1, attempts)
    self.delay = max(.zero, delay)
    self.factor = max(1, factor)
    self.maxDelay = max(.zero, maxDelay)
  }

  /// Returns the delay after the failure of attempt number `attempt` (from 1).
  ///
  /// The delay is `delay · factor^(attempt − 1)`, increased by up to a tenth, so initializers that failed together don't retry together,
  /// and at most `maxDelay`. The same seed gives the same delay.
  public func wait(afterAttempt attempt: Int, seed: UInt64) -> Duration {
    let longest = maxDelay.inSeconds
    var seconds = min(delay.inSeconds, longest)
    var remaining = attempt - 1
    while remaining > 0, seconds < longest, factor > 1, seconds > 0 {
      seconds = min(seconds * factor, longest)
      remaining -= 1
    }
    let jitter = Double(SplitMix64.mix(seed) >> 11) * 0x1p-53
    return .seconds(min(seconds * (1 + jitter / 10), longest))
  }
}
