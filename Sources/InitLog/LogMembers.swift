package import InitCore
package import InitModel
internal import InitText
package import InitWords
package import Logging

/// The members of a log line, for programs that read the log.
///
/// The names and values are those of PROTOCOL.md, "The log". The message says the same as a sentence.
extension Logger.Metadata {
  /// What happened.
  package enum EventName: String {
    case ready, lifecycle
    case passStarted, passComplete, passFailed, passCancelled
    case runStarted, runComplete, runFailed, runCancelled, skipped
    case stopStarted, stopEnded
    case processStarted, processReady, processEnded, processGivenUp
    case output, leftBehind, killed, remembered, forgotten, appNotStarted
    case reload, reloadFailed
  }

  /// Returns the members of a line: the event and its subject.
  package static func event(
    _ name: EventName, initializer: String? = nil, process: String? = nil, pass: PassID? = nil, phase: Phase? = nil,
    run: RunID? = nil, attempt: Int? = nil, pid: Int32? = nil, pids: [Int32]? = nil, duration: Duration? = nil,
    cause: Cause? = nil, nextAttempt: Double? = nil, reason: String? = nil
  ) -> Logger.Metadata {
    var members: Logger.Metadata = ["event": .string(name.rawValue)]
    members["initializer"] = initializer.map { .string($0) }
    members["process"] = process.map { .string($0) }
    members["pass"] = pass.map { .stringConvertible($0.rawValue) }
    members["phase"] = phase.map { .string($0.rawValue) }
    members["run"] = run.map { .stringConvertible($0.rawValue) }
    members["attempt"] = attempt.map { .stringConvertible($0) }
    members["pid"] = pid.map { .stringConvertible(Int($0)) }
    members["pids"] = pids.map { .array($0.map { .stringConvertible(Int($0)) }) }
    members["duration"] = duration.map { .stringConvertible($0.inSeconds) }
    members["cause"] = cause.map { $0.members }
    members["nextAttempt"] = nextAttempt.map { .stringConvertible($0) }
    members["reason"] = reason.map { .string($0) }
    return members
  }

  /// Returns these members and the members of an output line.
  package func showing(_ line: LogLine) -> Logger.Metadata {
    merging(["stream": .string(line.stream.rawValue), "line": .string(line.line)]) { $1 }
  }
}

extension Cause {
  /// The cause as a member of a log line: as in the protocol (§3).
  fileprivate var members: Logger.MetadataValue {
    switch self {
    case .error(let message): ["kind": "error", "message": .string(message)]
    case .notFound(let message): ["kind": "notFound", "message": .string(message)]
    case .exit(let status): ["kind": "exit", "status": .stringConvertible(Int(status))]
    case .signal(let name): ["kind": "signal", "signal": .string(name)]
    case .timeout(let after, let message):
      .dictionary(
        ["kind": "timeout", "after": .stringConvertible(after.inSeconds)].merging(
          message.map { ["message": .string($0)] } ?? [:]
        ) { $1 })
    case .workerLost: ["kind": "workerLost"]
    case .operator(let user): ["kind": "operator", "user": .string(user)]
    case .unknown(let kind): ["kind": .string(kind)]
    }
  }
}

extension Logger.Message {
  /// Returns the members for a process that is killed: its name, and the grace period that is over.
  package static func killing(_ name: String, pid: Int32, after grace: Duration) -> Logger.Message {
    "\(name) (pid \(pid)) is killed with SIGKILL: it didn't exit within \(grace.words) of SIGTERM (cancelGrace)"
  }
}
