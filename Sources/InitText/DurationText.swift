/// A duration in a manifest: `500ms`, `30s`, `2m`, `1h`, or a number of seconds; fractions as in `1.5s`.
///
/// Invariant. Every duration is a whole number of nanoseconds from 0 to a hundred years; no value is rounded.
package enum DurationText {
  /// The longest duration: a hundred years of 365 days.
  package static let longest = Duration.seconds(100 * 365 * 86_400)

  /// The reason why a text isn't a duration, and what to do.
  package struct Mistake: Error, Hashable {
    package let problem: String
    package let remedy: String
  }

  private static let usual = "write e.g. 500ms, 30s, 2m or 1h, or a number of seconds"

  /// Parses `text`; throws a `Mistake` if it isn't a duration.
  package static func parse(_ text: String) throws(Mistake) -> Duration {
    let unspaced = text.filter { $0 != " " }
    if unspaced != text, let span = try? parse(unspaced), span <= longest {
      throw Mistake(
        problem: "\(TerminalText.quote(text)) is not a duration", remedy: "write \(unspaced), without a space")
    }
    if text.hasPrefix("-") {
      throw Mistake(problem: "a duration cannot be negative: \(TerminalText.quote(text))", remedy: usual)
    }
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let count = span(number), let span = scaled(count, text[number.endIndex...]) else {
      throw Mistake(problem: "\(TerminalText.quote(text)) is not a duration", remedy: usual)
    }
    guard span <= longest else {
      throw Mistake(
        problem: "\(TerminalText.quote(text)) is longer than a hundred years", remedy: "write a shorter duration")
    }
    guard span.components.attoseconds % 1_000_000_000 == 0 else {
      throw Mistake(problem: "\(TerminalText.quote(text)) is finer than a nanosecond", remedy: "write fewer digits")
    }
    return span
  }

  /// Returns the shortest of these forms that equals `span`.
  package static func print(_ span: Duration) -> String {
    let (seconds, attoseconds) = span.components
    guard attoseconds != 0 else {
      if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
      if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
      return "\(seconds)s"
    }
    let millisecond: Int64 = 1_000_000_000_000_000
    if seconds == 0, attoseconds % millisecond == 0 { return "\(attoseconds / millisecond)ms" }
    var digits = attoseconds.digits(18)
    while digits.last == "0" { digits.removeLast() }
    return "\(seconds).\(digits)s"
  }

  /// Parses the number as seconds: digits, optionally a point and at most nine more digits.
  private static func span(_ number: Substring) -> Duration? {
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, !whole.isEmpty, whole.count <= 12, let seconds = Int64(whole) else { return nil }
    guard parts.count == 2 else { return .seconds(seconds) }
    let digits = parts[1]
    guard !digits.isEmpty, digits.count <= 9,
      let nanoseconds = Int64(digits + String(repeating: "0", count: 9 - digits.count))
    else { return nil }
    return .seconds(seconds) + .nanoseconds(nanoseconds)
  }

  private static func scaled(_ count: Duration, _ unit: Substring) -> Duration? {
    switch unit {
    case "ms": count / 1000
    case "", "s": count
    case "m": count * 60
    case "h": count * 3600
    default: nil
    }
  }
}
