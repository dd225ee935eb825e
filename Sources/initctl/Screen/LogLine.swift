internal import InitWire

/// A line that a command wrote: `NAME | LINE`, escaped.
enum LogLine {
  /// The line, without newline.
  static func line(_ log: LogLineShape) -> String {
    "\(TerminalText.escape(log.initializer)) | \(TerminalText.escape(log.line))"
  }
}
