internal import InitWire
internal import Platform

/// The standard streams. What was asked for goes to standard output, everything else to standard error.
enum Console {
  /// Writes text to standard output, all of it, before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE when nobody reads any more.
  static func write(_ text: String) throws(SystemError) {
    try StandardStream.output.write(Array(text.utf8))
  }

  /// Writes bytes to standard output, all of them, before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE when nobody reads any more.
  static func write(_ bytes: [UInt8]) throws(SystemError) {
    try StandardStream.output.write(bytes)
  }

  /// Says something on standard error, in the style of all messages: `initctl: cannot X: why`.
  static func complain(_ message: String) {
    // Where standard error is gone, there is nobody to tell.
    StandardStream.error.say("initctl: \(TerminalText.escape(message))")
  }

  /// Writes lines that are ready for a terminal to standard error.
  static func explain(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    StandardStream.error.say(lines.joined(separator: "\n"))
  }
}
