public import InitWords

/// What a kept process does, as far as it matters for the initializers that it registers (S32).
public enum ProcessStanding: Hashable, Sendable {
  /// It hasn't been started, or was stopped.
  case idle
  /// It runs, or waits for its restart.
  case alive
  /// It has ended and isn't restarted; how it ended.
  case ended(Cause)
}
