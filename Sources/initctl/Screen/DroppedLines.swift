internal import InitModel
internal import InitText
internal import InitWire

/// The output lines that the supervisor doesn't keep any more.
struct DroppedLines: Equatable {
  /// The number of dropped lines, of all requested names.
  private(set) var count = 0
  /// The limits that caused lines to be dropped.
  private(set) var limits: [String] = []

  /// Adds the dropped lines of a result.
  mutating func add(_ result: LogsRequest.Result) {
    guard let dropped = result.dropped else { return }
    count += dropped
    if let limit = result.droppedBy, !limits.contains(limit) { limits.append(limit) }
  }

  /// The sentence for standard error, escaped; nil if no line was dropped.
  var sentence: String? {
    guard count > 0 else { return nil }
    let limits = limits.isEmpty ? "logLines or logBytes" : limits.joined(separator: " and ")
    let verb = count == 1 ? "line was" : "lines were"
    return "… \(Self.grouped(count)) earlier \(verb) dropped; raise --limit \(TerminalText.escape(limits))"
  }

  /// The line that replaces the sentence for programs: `{"dropped":12345}`.
  var json: [UInt8] { Array("{\"dropped\":\(count)}\n".utf8) }

  /// Formats a number with commas: `12,345`.
  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in "\(number)".enumerated() {
      if index > 0, ("\(number)".count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }
}
