/// The status of an initializer (S2).
///
/// `stopping` overrides `waiting`.
public enum InitializerStatus: String, Hashable, Sendable, CaseIterable {
  /// The initializer isn't part of a pass so far.
  case idle
  /// A running pass will execute it.
  case waiting
  /// Running.
  case running
  /// Cancelled, and not stopped yet (S13).
  case stopping
  /// The last run completed.
  case complete
  /// The last run failed.
  case failed
  /// The last run was cancelled (S12).
  case cancelled
  /// The pass failed before the initializer's turn.
  case notRun
  /// The initializer isn't run, and its dependents continue as if it had completed (S28).
  case skipped
}
