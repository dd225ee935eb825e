internal import InitCore
internal import InitDeclarations

/// Decides after each exit of a kept process whether it is restarted: a value.
///
/// If a process runs for `settledAfter`, earlier exits are forgotten. If it exits `burst` times in a row before that, it is given up.
struct Restarts: Hashable {
  /// The decision.
  enum Decision: Hashable {
    /// The process is restarted after this delay.
    case again(after: Duration)
    /// The process isn't restarted.
    case done
    /// The process exited too soon, this many times in a row.
    case givenUp(ends: Int)
  }

  let policy: RestartPolicy
  /// The delays between starts; its `attempts` isn't used.
  let backoff: RetryPolicy
  let burst: Int
  let settledAfter: Duration
  /// The seed of the jitter.
  let seed: UInt64
  private(set) var quickEnds = 0

  init(_ policy: RestartPolicy, backoff: RetryPolicy, burst: Int, settledAfter: Duration, seed: UInt64) {
    self.policy = policy
    self.backoff = backoff
    self.burst = burst
    self.settledAfter = settledAfter
    self.seed = seed
  }

  /// Forgets earlier exits.
  mutating func forgive() { quickEnds = 0 }

  /// Decides what follows when the process has ended.
  ///
  /// `isSuccess` is true if the exit status is 0. `lived` says how long it ran.
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
