internal import ArgumentParser
internal import FoundationEssentials

/// A period as an argument.
struct Period: Sendable, CustomStringConvertible {
  let duration: Duration
  let description: String

  /// Reads a number with a unit, such as `90d`.
  init(_ text: String) throws {
    let units = ["ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    guard let (count, unit) = Quantity.split(text), let scale = units[unit], count * scale < 1e9 else {
      throw ValidationError("use a number with a unit, e.g. 90m, 12h, 30d or 8w")
    }
    duration = .seconds(count * scale)
    description = text
  }

  /// Seconds.
  var seconds: Double { duration / .seconds(1) }
}

/// A number of bytes as an argument.
struct Size: Sendable, CustomStringConvertible {
  /// The least that makes sense.
  private static let least = 1 << 20

  let bytes: Int
  let description: String

  /// Reads a number with a unit, such as `64MiB`.
  init(_ text: String) throws {
    let units = [
      "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1_024, "MiB": 1_048_576, "GiB": 1_073_741_824,
    ]
    guard let (count, unit) = Quantity.split(text), let scale = units[unit], count * scale < 1e15 else {
      throw ValidationError("use a number with a unit, e.g. 64MiB or 1GiB")
    }
    guard count * scale >= Double(Self.least) else { throw ValidationError("at least 1MiB is needed") }
    bytes = Int(count * scale)
    description = text
  }
}

/// A percentage as an argument.
struct Percentage: Sendable, CustomStringConvertible {
  static let standard = Percentage(fraction: 0.2, description: "20%")

  let fraction: Double
  let description: String

  private init(fraction: Double, description: String) {
    self.fraction = fraction
    self.description = description
  }

  /// Reads a percentage, such as `20%`.
  init(_ text: String) throws {
    guard let (count, unit) = Quantity.split(text), unit == "%", count <= 10_000 else {
      throw ValidationError("use a percentage, e.g. 20%")
    }
    fraction = count / 100
    description = text
  }
}

/// A number with a unit.
private enum Quantity {
  static func split(_ text: String) -> (Double, String)? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    return Double(number).map { ($0, String(text.dropFirst(number.count))) }
  }
}

/// Durations and times for people.
enum Words {
  /// Returns a duration, such as `514 ms`, `1.5 s` or `2 min 13 s`.
  static func duration(_ seconds: Double) -> String {
    let milliseconds = Int((abs(seconds) * 1_000).rounded())
    if milliseconds < 1_000 { return "\(milliseconds) ms" }
    if milliseconds < 10_000 { return "\((Double(milliseconds) / 10).rounded() / 100) s" }
    if milliseconds < 60_000 { return "\((Double(milliseconds) / 100).rounded() / 10) s" }
    let whole = (milliseconds + 500) / 1_000
    return whole < 3_600 ? "\(whole / 60) min \(whole % 60) s" : "\(whole / 3_600) h \(whole % 3_600 / 60) min"
  }

  /// Returns a time in UTC, in the format of RFC 3339.
  static func time(_ secondsSinceEpoch: Double) -> String {
    Date(timeIntervalSince1970: secondsSinceEpoch).formatted(Date.ISO8601FormatStyle())
  }

  /// Rows as lines; each column but the last is as wide as its widest cell.
  static func columns(_ rows: [[String]]) -> String {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
    }.joined()
  }
}
