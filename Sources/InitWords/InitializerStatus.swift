/// The status of an initializer (S2). `stopping` overrides `waiting`.
public enum InitializerStatus: String, Hashable, Sendable, CaseIterable {
  /// It hasn't been part of a pass.
  case idle
  /// A running pass will execute it.
  case waiting
  /// It runs.
  case running
  /// It was cancelled, and hasn't stopped yet (S13).
  case stopping
  /// Its last run completed.
  case complete
  /// Its last run failed.
  case failed
  /// Its last run was cancelled (S12).
  case cancelled
  /// Its pass failed before its turn.
  case notRun
}
