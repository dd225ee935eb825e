/// Wakes one task for any of several reasons; those that come while it is busy are kept, each once.
///
/// It is rung and waited for on one loop's thread.
final class Bell: @unchecked Sendable {
  /// What it rings for.
  struct Reasons: OptionSet {
    let rawValue: Int
    /// Something is different.
    static let changed = Reasons(rawValue: 1)
    /// There will be no more changes.
    static let ended = Reasons(rawValue: 2)
    /// It is time.
    static let timePassed = Reasons(rawValue: 4)
    /// The window has another size.
    static let resized = Reasons(rawValue: 8)
    /// The user wants to do something else meanwhile.
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

  /// Waits until it has rung; all reasons since it was last waited for.
  func wait() async -> Reasons {
    if reasons.isEmpty {
      await withCheckedContinuation { waiter = $0 }
    }
    defer { reasons = [] }
    return reasons
  }
}
