internal import EventLoop
internal import InitText
internal import Platform

/// The messages that clients and workers write for people, unless the program handles them itself.
package enum StandardError {
  /// Writes a line: the program's name, and the text.
  package static func write(_ text: String) {
    StandardStream.error.say("\(TerminalText.escape("\(ClientLoop.programName): \(text)"))")
  }

  /// Reports that a client waits for a supervisor.
  @Sendable package static func reportWaiting(_ reason: ClientError) {
    write("waiting for a supervisor: \(SupervisorError(reason))")
  }
}
