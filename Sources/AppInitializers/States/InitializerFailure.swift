package import InitWords

/// The reason why a run failed, if no Swift object threw the error itself: the `underlyingError` of
/// ``AppInitializationError/initializerFailed(initializer:underlyingError:)``.
public enum InitializerFailure: Error, Hashable, Sendable {
  /// A worker or a command reported this.
  case reported(message: String)
  /// A command ended with an exit status that isn't 0.
  case exit(status: Int32)
  /// A command was ended by a signal, named as in `SIGKILL`.
  case signal(String)
  /// The run took longer than this, which was its timeout (S15).
  ///
  /// `message` says how the last try failed, if it waited for something outside of the supervisor (S31).
  case timeout(after: Duration, message: String? = nil)
  /// The worker disconnected during the run (S21), or none registered in time (S20).
  case workerLost
  /// The program can't be started, and why.
  case notFound(message: String)
  /// This user has cancelled the run (S34).
  case cancelled(by: String)
}

extension InitializerFailure: CustomStringConvertible {
  /// The reason alone, to follow the initializer's name.
  public var description: String { cause.description }
}

extension InitializerFailure {
  /// The machine's value.
  var cause: Cause {
    switch self {
    case .reported(let message): .error(message: message)
    case .exit(let status): .exit(status: status)
    case .signal(let name): .signal(name)
    case .timeout(let after, let message): .timeout(after: after, message: message)
    case .workerLost: .workerLost
    case .notFound(let message): .notFound(message: message)
    case .cancelled(let user): .operator(user: user)
    }
  }

  /// Creates a failure from the machine's value.
  package init(_ cause: Cause) {
    switch cause {
    case .error(let message): self = .reported(message: message)
    case .exit(let status): self = .exit(status: status)
    case .signal(let name): self = .signal(name)
    case .timeout(let after, let message): self = .timeout(after: after, message: message)
    case .workerLost: self = .workerLost
    case .notFound(let message): self = .notFound(message: message)
    case .operator(let user): self = .cancelled(by: user)
    case .unknown(let kind): self = .reported(message: kind)
    }
  }
}

extension Cause {
  /// Converts a thrown error to a cause.
  ///
  /// Creates a failure: a cause stays unchanged; any other error is reported by its description.
  init(_ error: any Error) {
    self =
      error as? Cause ?? (error as? InitializerFailure)?.cause ?? .error(message: String(describing: error))
  }
}
