package import InitCore

/// Functions that the supervisor that owns a manager provides; they are called on the manager's executor.
package struct ManagerHooks {
  /// Called for every notice with its instant, in order, in the same step.
  package var observer: (@Sendable (Notice, Instant) -> Void)?
  /// Called once nothing runs any more (S24); it sends `stopsRequested` when the completed initializers may be stopped.
  package var onFinish: (@Sendable () -> Void)?
  /// Called once everything is stopped.
  package var onStopped: (@Sendable () -> Void)?
  /// Returns the W3C trace context of a run.
  package var traceparent: (@Sendable (RunStart) -> String)?
  /// Checks an initializer's condition, reads what its work depends on, and answers with `conditionChecked` (S29, S30).
  package var checkCondition: (@Sendable (ConditionCheck) -> Void)?
  /// Runs initializers that have no provider in the manager: those of workers.
  package var workerProvider: (any InitializerProvider)?

  /// Creates a value without hooks.
  package init() {}
}
