/// The signals that ask a program to end, and the meaning of each: a value.
///
/// The same signal within 100 ms of the first one isn't impatience: e.g. `timeout` signals a process, and at once also its group.
public struct EndingSignals: Hashable, Sendable {
  /// The meaning of a signal.
  public enum Meaning: Hashable, Sendable {
    /// End in order.
    case end
    /// The signal repeats the first one.
    case echo
    /// The user is impatient: skip the waiting.
    case skip
  }

  private struct First: Hashable {
    let number: Int32
    let moment: Duration
  }

  /// How long the same signal counts as a repetition of the first signal.
  private static let echo = Duration.milliseconds(100)

  private var first: First?

  /// Creates the state before the first signal.
  public init() {}

  /// Records a signal that comes at a moment of a clock that isn't set.
  ///
  /// - Returns: the meaning of the signal.
  public mutating func record(_ number: Int32, at now: Duration) -> Meaning {
    guard let first else {
      first = First(number: number, moment: now)
      return .end
    }
    return number == first.number && now - first.moment < Self.echo ? .echo : .skip
  }
}
