internal import Logging

/// What a line of the log is about, as members for a log that is read by programs.
///
/// The names and values are those of PROTOCOL.md, "The log". The line says the same in words.
extension Logger.Metadata {
  /// What happened.
  enum EventName: String {
    case ready, lifecycle
    case passStarted, passComplete, passFailed, passCancelled
    case runStarted, runComplete, runFailed, runCancelled
    case processStarted, processEnded, processGivenUp
    case output, leftBehind, remembered, forgotten
  }

  /// The members of a line: what happened, and to what of it.
  static func event(
    _ name: EventName, initializer: String? = nil, process: String? = nil, pass: Int? = nil, run: Int? = nil,
    attempt: Int? = nil
  ) -> Logger.Metadata {
    var members: Logger.Metadata = ["event": .string(name.rawValue)]
    members["initializer"] = initializer.map { .string($0) }
    members["process"] = process.map { .string($0) }
    members["pass"] = pass.map { .stringConvertible($0) }
    members["run"] = run.map { .stringConvertible($0) }
    members["attempt"] = attempt.map { .stringConvertible($0) }
    return members
  }
}
