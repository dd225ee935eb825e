internal import InitText

/// Why a run failed.
public enum Cause: Error, Hashable, Sendable {
  /// The provider reported an error, with this message.
  case error(message: String)
  /// A command ended with an exit status that isn't 0.
  case exit(status: Int32)
  /// A command was terminated by a signal, for example `SIGKILL`.
  case signal(String)
  /// The run exceeded its timeout (S15).
  ///
  /// `message` says how the last try failed, if the run waited for something outside of the supervisor (S31).
  case timeout(after: Duration, message: String? = nil)
  /// The worker disconnected during the run (S21), or none registered in time (S20).
  case workerLost
  /// The program can't be started, for this reason.
  case notFound(message: String)
  /// This user has cancelled the run (S34): a name, or `uid N`.
  case `operator`(user: String)
  /// A cause of a later version of the protocol; the error's message describes it.
  case unknown(kind: String)
}

extension Cause: CustomStringConvertible {
  /// The cause without the initializer's name, which precedes it in messages.
  public var description: String {
    switch self {
    case .error(let message): message
    case .exit(let status): "exit status \(status)"
    // A run that its supervisor has killed was cancelled, or has timed out.
    case .signal("SIGKILL"): "killed by SIGKILL, not by initd: perhaps the kernel's OOM killer"
    case .signal(let name): "terminated by \(name)"
    case .timeout(let after, let message): "timed out after \(after.words)" + (message.map { ": \($0)" } ?? "")
    case .workerLost: "its worker is not connected"
    case .notFound(let message): message
    case .operator(let user): "cancelled by \(user)"
    case .unknown(let kind): kind
    }
  }
}

extension Cause {
  /// The same report, with its message cut.
  package var bounded: Cause {
    switch self {
    case .error(let message): .error(message: message.cut())
    case .notFound(let message): .notFound(message: message.cut())
    case .operator(let user): .operator(user: user.cut(to: 128))
    case .timeout(let after, let message): .timeout(after: after, message: message?.cut())
    case .exit, .signal, .workerLost, .unknown: self
    }
  }
}
