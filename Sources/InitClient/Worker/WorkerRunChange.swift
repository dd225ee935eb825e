internal import InitModel
package import InitWire
package import InitWords

/// A change of a worker's run.
package enum WorkerRunChange: Sendable {
  /// The supervisor has requested the run.
  case began(RunRequest)
  /// The run is being stopped: by the supervisor, or because the worker ends.
  case cancelled(RunRequest, CancelReason?)
  /// The run is being stopped because the connection was lost.
  case lost(RunRequest)
  /// The run has stopped, and its answer was sent.
  case ended(RunRequest, End)

  /// The outcome of a run.
  package enum End: String, Sendable {
    /// Successfully.
    case complete
    /// With an error.
    case failed
    case cancelled
    /// The run wasn't answered, because the connection was lost.
    case lost
  }
}
