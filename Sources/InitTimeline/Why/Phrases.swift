package import InitModel
internal import InitText

/// Formats quantities for people.
package enum Phrases {
  /// Formats a duration, with tenths from one second on: `210 ms`, `1.2 s`, `2 min 13 s`.
  package static func duration(_ seconds: Double) -> String {
    Duration.seconds(rounded(seconds)).words
  }

  /// Lists some of many names: `a`, `a and b`, `a, b and 3 others`.
  package static func list(_ names: [String]) -> String {
    switch names.count {
    case 0, 1: names.first ?? ""
    case 2, 3: names.dropLast().joined(separator: ", ") + " and \(names[names.count - 1])"
    default: names.prefix(2).joined(separator: ", ") + " and \(names.count - 2) others"
    }
  }

  /// Returns what to do about initializers whose workers have disconnected.
  package static func remedyForLost(_ count: Int) -> String {
    count == 1 ? "restart the worker that provided it" : "restart the workers that provided them"
  }
}

extension Initializer.Progress {
  /// `50% half of the shelves`.
  ///
  /// The message isn't escaped.
  package var phrase: String {
    let percent = fraction.map { "\(Int((min(max($0, 0), 1) * 100).rounded(.down)))%" }
    return [percent, message].compactMap(\.self).joined(separator: " ")
  }
}
