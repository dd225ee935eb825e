/// Wakes one task for several reasons. Reasons that occur while it is busy are kept, each once.
///
/// Used only on one loop's thread.
final class Bell: @unchecked Sendable {
  /// Why it rings.
  struct Reasons: OptionSet {
    let rawValue: Int
    /// Something has changed.
    static let changed = Reasons(rawValue: 1)
    /// There will be no more changes.
    static let ended = Reasons(rawValue: 2)
    /// A timer has fired.
    static let timePassed = Reasons(rawValue: 4)
    /// The window's size has changed.
    static let resized = Reasons(rawValue: 8)
    /// The user suspends the process (^Z).
    static let suspended = Reasons(rawValue: 16)
    /// A signal wants the process to end.
    static let interrupted = Reasons(rawValue: 32)
  }

  /// The last signal it rang for.
  private(set) var signal: Int32 = 0

  private var reasons: Reasons = []
  private var waiter: CheckedContinuation<Void, Never>?

  /// Wakes the waiting task, or the next one that waits.
  func ring(_ reason: Reasons, _ signal: Int32? = nil) {
    reasons.insert(reason)
    if let signal { self.signal = signal }
    waiter?.resume()
    waiter = nil
  }

  /// Waits until it has rung, and returns all reasons since the last wait.
  func wait() async -> Reasons {
    if reasons.isEmpty {
      await withCheckedContinuation { waiter = $0 }
    }
    defer { reasons = [] }
    return reasons
  }
}
