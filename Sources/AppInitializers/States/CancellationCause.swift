package import InitWords

/// Why a run was cancelled.
public enum CancellationCause: Sendable, Hashable {
  /// The app is no longer active (S11).
  case deactivated
  /// The run exceeded its timeout (S15).
  case timeout
  /// Another initializer failed, and so did the pass (S8).
  case failed
  /// The initializer was removed (S21).
  case unregistered
  /// The supervisor or the manager is shutting down (S24).
  case shutdown
  /// An operator has cancelled the run (S34).
  case `operator`
  /// The worker has lost the connection to the supervisor.
  case lost

  /// Creates a cause from the machine's value.
  package init(_ reason: CancelReason) {
    switch reason {
    case .deactivated: self = .deactivated
    case .timeout: self = .timeout
    case .failed: self = .failed
    case .unregistered: self = .unregistered
    case .shutdown: self = .shutdown
    case .operator: self = .operator
    }
  }
}
