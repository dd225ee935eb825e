package import InitCore

/// How often a failed run is retried, and the delay before each retry (S16).
///
/// The delay after attempt *n* is `delay · factor^(n − 1)`, at most `maxDelay`. It is lengthened by up to a tenth, so initializers that
/// failed together don't retry together. A test that advances a clock must advance it that much further.
public struct RetryPolicy: Hashable, Sendable {
  /// The maximum number of attempts, including the first.
  ///
  /// At least 1.
  public var attempts: Int
  /// The delay before the second attempt.
  public var delay: Duration
  /// The factor by which each further delay is longer than the previous one.
  ///
  /// At least 1.
  public var factor: Double
  /// The longest delay.
  public var maxDelay: Duration

  /// Allows one attempt, without retries.
  public static let never = RetryPolicy()

  /// Creates a policy.
  ///
  /// The defaults are those of S16: 1 attempt, 1 s, factor 2, at most 30 s.
  public init(
    attempts: Int = 1, delay: Duration = .seconds(1), factor: Double = 2, maxDelay: Duration = .seconds(30)
  ) {
    self.attempts = max(1, attempts)
    self.delay = max(.zero, delay)
    self.factor = max(1, factor)
    self.maxDelay = max(.zero, maxDelay)
  }
}

extension RetryPolicy {
  /// The machine's policy, with all values clamped to their bounds.
  package var corePolicy: InitCore.RetryPolicy {
    InitCore.RetryPolicy(attempts: attempts, delay: delay, factor: factor, maxDelay: maxDelay)
  }
}
