/// Why a run is cancelled.
public enum CancelReason: String, Hashable, Sendable, CaseIterable {
  /// The app is no longer active (S11).
  case deactivated
  /// The run exceeded its timeout (S15).
  case timeout
  /// Another initializer failed, and so did its pass (S8).
  case failed
  /// The initializer was removed (S21).
  case unregistered
  /// The supervisor is shutting down (S24).
  case shutdown
  /// An operator has cancelled it (S34).
  case `operator`
}
