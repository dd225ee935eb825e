/// How the readiness of a kept process is detected, and how the process is stopped.
///
/// The manifest and the supervisor use the same value, so a new setting needs no conversion.
package struct ProcessPolicy: Hashable, Sendable {
  /// How readiness is detected; `nil` if no initializer depends on it (S32).
  package var ready: Readiness?
  /// The name of the signal that asks the process to end.
  package var stopSignal = "SIGTERM"
  /// The maximum time between the stop signal and SIGKILL; `nil` for `cancelGrace`.
  package var stopTimeout: Duration?

  /// Creates the default policy.
  package init() {}
}
