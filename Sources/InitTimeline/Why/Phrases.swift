package import InitWire

/// Quantities in words.
package enum Phrases {
  /// A duration: `0 ms`, `210 ms`, `1.2 s`, `2 min 13 s`, `3 h 5 min`, `2 d 4 h`.
  package static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds > 0 else { return "0 ms" }
    let milliseconds = (seconds * 1000).rounded()
    if milliseconds < 1000 { return "\(Int(milliseconds)) ms" }
    let tenths = Int((min(seconds, 1e12) * 10).rounded())
    if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
    let whole = Int(min(seconds, 1e12).rounded())
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    if whole < 86400 { return "\(whole / 3600) h \(whole / 60 % 60) min" }
    return "\(whole / 86400) d \(whole / 3600 % 24) h"
  }

  /// Some of many names: `a`, `a and b`, `a, b and 3 others`.
  package static func list(_ names: [String]) -> String {
    switch names.count {
    case 0, 1: names.first ?? ""
    case 2, 3: names.dropLast().joined(separator: ", ") + " and \(names[names.count - 1])"
    default: names.prefix(2).joined(separator: ", ") + " and \(names.count - 2) others"
    }
  }
}

extension ProgressShape {
  /// `50% half of the shelves`. The message isn't escaped.
  package var phrase: String {
    let percent = fraction.map { "\(Int((min(max($0, 0), 1) * 100).rounded(.down)))%" }
    return [percent, message].compactMap(\.self).joined(separator: " ")
  }
}
