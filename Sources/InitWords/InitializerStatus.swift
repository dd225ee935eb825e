/// What an initializer is doing (S2). `stopping` outranks `waiting`.
public enum InitializerStatus: String, Hashable, Sendable, CaseIterable {
  /// No pass has come to it.
  case idle
  /// A pass that is under way will come to it.
  case waiting
  /// It runs.
  case running
  /// It was told to stop, and hasn't stopped (S13).
  case stopping
  /// Its last run completed.
  case complete
  /// Its last run failed.
  case failed
  /// Its last run was cancelled (S12).
  case cancelled
  /// Its pass failed before it came to it.
  case notRun
}
