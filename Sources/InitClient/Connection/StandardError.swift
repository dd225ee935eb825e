internal import EventLoop
internal import InitText
internal import Platform

/// What clients and workers tell people if the program doesn't ask for it in another way.
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
