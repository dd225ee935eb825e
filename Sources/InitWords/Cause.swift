/// Why a run failed.
public enum Cause: Error, Hashable, Sendable {
  /// The provider reported an error, in its words.
  case error(message: String)
  /// A command ended with an exit status that isn't 0.
  case exit(status: Int32)
  /// A command was ended by a signal, named as in `SIGKILL`.
  case signal(String)
  /// The run took longer than it may (S15).
  case timeout(after: Duration)
  /// The worker went away during the run (S21), or none came for it (S20).
  case workerLost
  /// The program can't be started, and why.
  case notFound(message: String)
  /// A kind of cause that a later version of the protocol added; the error's message tells it in words.
  case unknown(kind: String)
}

extension Cause: CustomStringConvertible {
  /// The reason alone, to stand behind the initializer's name.
  public var description: String {
    switch self {
    case .error(let message): message
    case .exit(let status): "exit status \(status)"
    case .signal(let name): "terminated by \(name)"
    case .timeout(let after): "timed out after \((after.inSeconds * 1000).rounded() / 1000) s"
    case .workerLost: "its worker is not connected"
    case .notFound(let message): message
    case .unknown(let kind): kind
    }
  }
}
