/// How a kept process is known to be ready, and how it is stopped.
///
/// The manifest and the supervisor use the same value, so a new setting needs no conversion.
package struct ProcessPolicy: Hashable, Sendable {
  /// How it is known to be ready; `nil` if nothing depends on that (S32).
  package var ready: Readiness?
  /// The name of the signal that asks it to end.
  package var stopSignal = "SIGTERM"
  /// How long it may take to end until SIGKILL; `nil` for `cancelGrace`.
  package var stopTimeout: Duration?

  /// Creates the default policy.
  package init() {}
}
