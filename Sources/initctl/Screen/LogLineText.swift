internal import InitModel
internal import InitText
internal import InitWire

/// A line that a command wrote, for people: `NAME | LINE`, escaped.
enum LogLineText {
  /// Returns the line, without newline.
  static func line(_ log: LogLine) -> String {
    "\(TerminalText.escape(log.initializer)) | \(TerminalText.output(log.line))"
  }
}
