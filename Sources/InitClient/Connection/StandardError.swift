internal import EventLoop
internal import InitText
internal import Platform

/// The messages that clients and workers write for people, unless the program handles them itself.
enum StandardError {
  /// Writes a line: the program's name, and the text.
  static func write(_ text: String) {
    StandardStream.error.say("\(TerminalText.escape("\(ClientLoop.programName): \(text)"))")
  }

  /// Reports that a client waits for a supervisor.
  @Sendable static func reportWaiting(_ reason: ClientError) {
    write("waiting for a supervisor: \(SupervisorError(reason))")
  }
}
