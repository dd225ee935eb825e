/// Decides which of many similar lines are logged: a line that is like the one before is logged once a second.
///
/// A value.
struct LinePace {
  /// The minimum interval between two lines with the same text.
  static let interval = Duration.seconds(1)

  private var last: (text: String, moment: Duration)?
  /// How many lines weren't logged since the last one.
  private var omitted = 0

  /// Returns nil if a line isn't logged, otherwise what to add to it: how many like the one before weren't logged.
  mutating func admits(_ text: String, at now: Duration) -> String? {
    if let last, last.text == text, now - last.moment < Self.interval {
      omitted += 1
      return nil
    }
    let more =
      switch omitted {
      case 0: ""
      case 1: "; a line like the one before was omitted"
      default: "; \(omitted) lines like the one before were omitted"
      }
    last = (text, now)
    omitted = 0
    return more
  }
}
