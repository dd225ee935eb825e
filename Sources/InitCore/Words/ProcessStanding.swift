public import InitWords

/// The state of a kept process, as far as it matters for the initializers that it registers (S32).
public enum ProcessStanding: Hashable, Sendable {
  /// The process hasn't been started, or was stopped.
  case idle
  /// The process runs, or waits for its restart.
  case alive
  /// The process has ended and isn't restarted; `Cause` says how it ended.
  case ended(Cause)
}
