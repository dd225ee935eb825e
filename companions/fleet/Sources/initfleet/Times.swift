internal import ArgumentParser
internal import FoundationEssentials

/// The clock of leases: it can't be set, and it also counts the time while the machine is suspended.
enum FleetClock {
  private static let start = ContinuousClock.now

  /// The time since the program has started.
  static var now: Duration { start.duration(to: .now) }

  /// Returns the instant of a moment.
  static func instant(_ moment: Duration) -> ContinuousClock.Instant { start.advanced(by: moment) }

  /// Returns the moment of an instant.
  static func moment(_ instant: ContinuousClock.Instant) -> Duration { start.duration(to: instant) }
}

/// The wall clock, for output only: no decision depends on it.
enum WallTime {
  /// Seconds since the Unix epoch.
  static var now: Double { Date.now.timeIntervalSince1970 }

  /// Returns a moment in UTC, in the format of RFC 3339.
  static func text(_ secondsSinceEpoch: Double) -> String {
    Date(timeIntervalSince1970: secondsSinceEpoch)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

/// A duration as an argument.
enum DurationText {
  /// Reads `500ms`, `30s`, `2m`, `1h`, or a number of seconds; fractions as in `1.5s`.
  static func parse(_ text: String) throws -> Duration {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let scale: Double? =
      switch text.dropFirst(number.count) {
      case "ms": 0.001
      case "", "s": 1
      case "m": 60
      case "h": 3600
      default: nil
      }
    guard let scale, let count = Double(number), count * scale < 1_000_000_000 else {
      throw ValidationError("write e.g. 500ms, 30s, 2m or 1h, or a number of seconds")
    }
    return .milliseconds(Int64((count * scale * 1000).rounded()))
  }
}
