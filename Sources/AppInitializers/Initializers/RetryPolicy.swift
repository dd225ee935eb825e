package import InitCore

/// How often a failed run is tried again, and how long the manager waits before each further attempt (S16).
///
/// The wait after attempt *n* is `delay · factor^(n − 1)`, at most `maxDelay`. It is up to a tenth longer, so that what failed together
/// doesn't come back together; a test that moves a clock goes that much further.
public struct RetryPolicy: Hashable, Sendable {
  /// How many attempts there are in all; the first counts. At least 1.
  public var attempts: Int
  /// The wait before the second attempt.
  public var delay: Duration
  /// By what each further wait is longer than the one before it. At least 1.
  public var factor: Double
  /// The longest wait.
  public var maxDelay: Duration

  /// One attempt, and none after it.
  public static let never = RetryPolicy()

  /// A policy. The defaults are those of S16: 1 attempt, 1 s, factor 2, at most 30 s.
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
  /// As the machine knows it: what is out of bounds is brought back in.
  package var corePolicy: InitCore.RetryPolicy {
    InitCore.RetryPolicy(attempts: attempts, delay: delay, factor: factor, maxDelay: maxDelay)
  }
}
