internal import InitWords

extension Phrases {
  /// Returns the duration that ``duration(_:)`` shows.
  ///
  /// With the rounded durations, a difference of two shown durations fits to them.
  package static func rounded(_ seconds: Double) -> Double {
    guard seconds.isFinite, seconds > 0 else { return 0 }
    let milliseconds = (seconds * 1000).rounded()
    let tenths = (seconds * 10).rounded()
    if milliseconds < 1000 { return milliseconds / 1000 }
    if tenths < 600 { return tenths / 10 }
    // For hours and days, only the next smaller unit is shown.
    let whole = min(seconds, 1e12).rounded()
    let unit: Double = whole < 3600 ? 1 : whole < 86_400 ? 60 : 3600
    return (whole / unit).rounded(.down) * unit
  }

  /// Formats a change from one duration to another: `+1.2 s`, `-300 ms`, `±0 ms`.
  package static func change(_ before: Double, _ after: Double) -> String {
    let change = rounded(after) - rounded(before)
    // Both values are multiples of a millisecond.
    guard abs(change) >= 0.0005 else { return "±0 ms" }
    return (change < 0 ? "-" : "+") + duration(abs(change))
  }

  /// Formats the change in percent: `-38%`; nil if there is nothing to compare with.
  package static func percent(_ before: Double, _ after: Double) -> String? {
    let before = rounded(before)
    let after = rounded(after)
    guard before > 0 else { return nil }
    let percent = Int(min(((after - before) / before * 100).rounded(), 1e6))
    return "\(percent < 0 ? "" : "+")\(percent)%"
  }
}

extension InitializerStatus {
  /// The text for people.
  package var phrase: String { self == .notRun ? "not run" : rawValue }
}
