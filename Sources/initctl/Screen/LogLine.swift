internal import InitWire

/// A line that a command wrote: `NAME | LINE`, escaped.
enum LogLine {
  /// The line, without its end.
  static func line(_ log: LogLineShape) -> String {
    "\(TerminalText.escape(log.initializer)) | \(TerminalText.escape(log.line))"
  }
}
