internal import EventLoop
internal import InitText
internal import Platform

/// The messages that clients and workers write for people, unless the program handles them itself.
enum StandardError {
  /// Writes a line: the program's name, and the text.
  static func tell(_ text: String) {
    StandardStream.error.say("\(TerminalText.escape("\(ClientLoop.programName): \(text)"))")
  }

  /// Tells that a client waits for a supervisor.
  @Sendable static func tellWaiting(_ reason: ClientError) {
    tell("waiting for a supervisor: \(SupervisorError(reason))")
  }
}
