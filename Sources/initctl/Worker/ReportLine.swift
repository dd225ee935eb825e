internal import InitProcesses
internal import InitText

// The syntax, after the prefix and any spaces:
//
//   progress FRACTION [MESSAGE]
//   message MESSAGE
//   extend DURATION
//   fail MESSAGE
//   secret
//
// A line that has another form isn't a report, even if it begins with the prefix: it is printed, so nothing is lost.

/// A report of a command in a line of its standard output (`initctl worker --progress-prefix`).
enum ReportLine: Equatable {
  /// Progress, or a new deadline.
  case progress(StatusNotification)
  /// The reason why the command is about to fail; it counts if the exit status isn't 0.
  case failure(String)
  /// The output for dependents must not be logged.
  case secret

  /// Reads a line; nil if it isn't a report.
  ///
  /// `prefix` is the text at the beginning of each report.
  init?(_ line: [UInt8], prefix: [UInt8]) {
    guard line.starts(with: prefix) else { return nil }
    let (word, rest) = ReportLine.split(String(decoding: line[prefix.count...], as: UTF8.self)[...])
    var told = StatusNotification([])
    switch word {
    case "progress":
      let (number, message) = ReportLine.split(rest)
      guard let fraction = Double(number), (0...1).contains(fraction) else { return nil }
      told.fraction = fraction
      told.message = message.isEmpty ? nil : String(message)
    case "message" where !rest.isEmpty: told.message = String(rest)
    case "extend":
      guard let span = try? DurationText.parse(String(rest)) else { return nil }
      told.extend = min(span, .seconds(999_999_999))
    case "fail" where !rest.isEmpty:
      self = .failure(String(rest))
      return
    case "secret" where rest.isEmpty:
      self = .secret
      return
    default: return nil
    }
    self = .progress(told)
  }

  /// Returns the first word, and the text after it.
  private static func split(_ text: Substring) -> (word: Substring, rest: Substring) {
    let text = text.drop { $0 == " " }
    let end = text.firstIndex(of: " ") ?? text.endIndex
    return (text[..<end], text[end...].drop { $0 == " " })
  }
}
