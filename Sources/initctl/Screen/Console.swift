internal import InitText
internal import Platform

/// The standard streams.
///
/// The result of a command goes to standard output, everything else to standard error.
enum Console {
  /// Writes the whole text to standard output before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE if the reader has closed it.
  static func write(_ text: String) throws(SystemError) {
    try StandardStream.output.write(Array(text.utf8))
  }

  /// Writes all bytes to standard output before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE if the reader has closed it.
  static func write(_ bytes: [UInt8]) throws(SystemError) {
    try StandardStream.output.write(bytes)
  }

  /// Prints a message on standard error, in the style of all messages: `initctl: cannot X: why`.
  static func complain(_ message: String) {
    // If standard error is closed, the error can't be reported.
    StandardStream.error.say("initctl: \(TerminalText.escape(message))")
  }

  /// Prints on standard error that a command waits for a supervisor that isn't running yet.
  @Sendable static func reportWaiting(_ path: String) { complain("waiting for a supervisor at \(path)") }

  /// Writes escaped lines to standard error.
  static func explain(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    StandardStream.error.say(lines.joined(separator: "\n"))
  }
}
