/// A duration as an argument: `500ms`, `30s`, `2m`, `1h`, or a number of seconds.
struct DurationArgument: Equatable {
  /// In seconds, as in the protocol.
  let seconds: Double

  /// The same for timers.
  var duration: Duration { .seconds(seconds) }

  /// Nil for anything else, for negative values, and for a billion seconds or more.
  init?(argument: String) {
    let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
    let unit = units.first { argument.hasSuffix($0.suffix) }
    let digits = argument.dropLast(unit?.suffix.count ?? 0)
    // Only plain decimal numbers: `Double` also accepts "nan", "inf" and "0x1p3".
    guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }),
      let number = Double(digits)
    else { return nil }
    seconds = number * (unit?.seconds ?? 1)
    guard seconds < 1e9 else { return nil }
  }
}
