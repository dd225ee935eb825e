public import AppInitializers
public import InitClient
internal import InitModel
internal import InitWire
internal import WireConversions

extension Worker {
  /// A change of a worker, for its log.
  public enum Change: Sendable, Hashable {
    /// Registered, for the first time or again.
    case registered
    /// The connection was lost; the worker cancels its runs, and connects again.
    case lost(SupervisorError)
    /// The worker isn't registered, and tries again.
    ///
    /// Reported when the reason changes; before the first connection, after a second.
    case notRegistered(SupervisorError)
    /// A run has stopped, and its answer was sent: success, failure, or cancelled.
    case answered(InitializerRun)

    init(_ change: WorkerService.Change) {
      switch change {
      case .registered: self = .registered
      case .lost(let error): self = .lost(SupervisorError(error))
      case .notRegistered(let error), .waiting(let error): self = .notRegistered(SupervisorError(error))
      }
    }

    /// Creates the answer of a run; nil for any other change.
    init?(_ change: WorkerRunChange) {
      guard case .ended(let params, let end) = change, end != .lost else { return nil }
      self = .answered(
        InitializerRun(
          initializer: params.initializer, number: params.run, attempt: params.attempt,
          pass: InitializationPass(number: params.pass, phase: InitializerPriority(params.phase))))
    }
  }
}

extension Worker {
  /// Writes problems of the connection to standard error.
  @Sendable static func reportProblems(_ change: Change) {
    switch change {
    case .lost, .notRegistered: StandardError.write("\(change)")
    case .registered, .answered: break
    }
  }
}

extension Worker.Change: CustomStringConvertible {
  /// A line for a log.
  public var description: String {
    switch self {
    case .registered: "registered"
    case .lost(let error): "\(error); connecting again"
    case .notRegistered(let error): "not registered yet: \(error)"
    case .answered(let run): "answered run \(run.number) of \(run.initializer)"
    }
  }
}
