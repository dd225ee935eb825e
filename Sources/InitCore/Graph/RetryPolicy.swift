/// How often a failed run is tried again, and how long to wait before each further attempt (S16).
public struct RetryPolicy: Hashable, Sendable {
  /// How many attempts there are in all; the first counts. At least 1.
  public var attempts: Int
  /// The wait before the second attempt.
  public var delay: Duration
  /// By what each further wait is longer than the one before it. At least 1.
  public var factor: Double
  /// The longest wait, jitter included.
  public var maxDelay: Duration

  /// One attempt, and none after it.
  public static let never = RetryPolicy()

  /// A policy; what isn't said has the defaults of S16: 1 attempt, 1 s, factor 2, at most 30 s.
  public init(
    attempts: Int = 1, delay: Duration = .seconds(1), factor: Double = 2, maxDelay: Duration = .seconds(30)
  ) {
    self.attempts = max(1, attempts)
    self.delay = max(.zero, delay)
    self.factor = max(1, factor)
    self.maxDelay = max(.zero, maxDelay)
  }

  /// The wait after attempt number `attempt` (from 1) has failed.
  ///
  /// It is `delay · factor^(attempt − 1)`, lengthened by up to a tenth so that those who failed together don't come back
  /// together, and never longer than `maxDelay`. It is never shorter than what was asked for. The same seed draws the same wait.
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
