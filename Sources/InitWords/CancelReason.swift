/// Why a run is told to stop.
public enum CancelReason: String, Hashable, Sendable, CaseIterable {
  /// The app is no longer active (S11).
  case deactivated
  /// It took longer than it may (S15).
  case timeout
  /// Another initializer failed, and the pass with it (S8).
  case failed
  /// Its initializer was taken away (S21).
  case unregistered
  /// The supervisor is shutting down (S24).
  case shutdown
}
