internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire

/// Decides how `logs` prints a line of a command.
struct LogPrinter {
  /// Whether the line is printed as JSON, as in the protocol.
  var isJSON = false
  /// Whether the line begins with its time.
  var showsTime = false
  /// Whether the name of its initializer precedes the line.
  var showsName = true
  /// The width to which the name is padded.
  var width = 0
  /// The colours of the terminal.
  var style = Style(hasColor: false)

  /// Returns the text of a line, with a newline.
  func text(_ log: LogLine) throws -> [UInt8] {
    if isJSON { return try JSONLine.line(log) }
    var text = showsTime ? style.paint(Phrases.moment(log.time), .gray) + " " : ""
    if showsName {
      let name = TextWidth.pad(TerminalText.escape(log.initializer), to: width)
      text += style.paint(name + " |", code: NameColor.code(of: log.initializer)) + " "
    }
    return Array((text + TerminalText.output(log.line) + "\n").utf8)
  }
}
