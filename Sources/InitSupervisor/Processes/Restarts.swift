internal import InitCore

/// When a process that is to run is started again.
public enum RestartPolicy: Hashable, Sendable {
  /// When its exit status isn't 0, a signal ended it, or it couldn't be started.
  case onFailure
  /// However it ended.
  case always
  /// Not at all.
  case never
}

/// What is decided each time such a process has ended: a value.
///
/// One that lives for `settledAfter` has proven itself: what came before is forgotten. One that ends `burst` times in a row before that is
/// given up, as the next start would do no better.
struct Restarts: Hashable {
  /// What comes next.
  enum Decision: Hashable {
    /// It is started again, so long from now.
    case again(after: Duration)
    /// It has done its work.
    case done
    /// It ended too soon, so many times in a row.
    case givenUp(ends: Int)
  }

  let policy: RestartPolicy
  /// The waits between one start and the next; its `attempts` has no meaning here.
  let backoff: RetryPolicy
  let burst: Int
  let settledAfter: Duration
  /// What the jitter is drawn from.
  let seed: UInt64
  private(set) var quickEnds = 0

  init(_ policy: RestartPolicy, backoff: RetryPolicy, burst: Int, settledAfter: Duration, seed: UInt64) {
    self.policy = policy
    self.backoff = backoff
    self.burst = burst
    self.settledAfter = settledAfter
    self.seed = seed
  }

  /// What came before is forgotten.
  mutating func forgive() { quickEnds = 0 }

  /// It has ended.
  ///
  /// - Parameters:
  ///   - isSuccess: with exit status 0.
  ///   - lived: how long it ran.
  mutating func ended(isSuccess: Bool, lived: Duration) -> Decision {
    switch policy {
    case .never: return .done
    case .onFailure where isSuccess: return .done
    case .onFailure, .always: break
    }
    guard lived < settledAfter else {
      quickEnds = 0
      return .again(after: backoff.wait(afterAttempt: 1, seed: seed))
    }
    quickEnds += 1
    guard quickEnds < burst else { return .givenUp(ends: quickEnds) }
    return .again(after: backoff.wait(afterAttempt: quickEnds, seed: seed &+ UInt64(quickEnds)))
  }
}
