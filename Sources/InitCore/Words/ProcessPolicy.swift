/// How the readiness of a kept process is detected, and how the process is stopped.
///
/// The manifest and the supervisor use the same value, so a new setting needs no conversion.
package struct ProcessPolicy: Hashable, Sendable {
  /// How readiness is detected; `nil` if no initializer depends on it (S32).
  package var ready: Readiness?
  /// How the process is checked after it is ready; `nil` if it isn't (S38).
  package var healthy: HealthPolicy?
  /// What is tried after the process is ready, and whether a socket counts only if it belongs to it; `nil` if nothing is.
  package var healthProbe: (probe: Probe, ofOwner: Bool)? {
    switch (healthy?.check, ready) {
    case (.probe(let probe, let ofOwner), _): return (probe, ofOwner)
    case (.readiness(let every, let tryTimeout, let ofAnyone), .probe(var probe, let ofOwner)):
      probe.every = every
      probe.tryTimeout = tryTimeout
      return (probe, ofOwner && !ofAnyone)
    case (nil, _), (.watchdog, _), (.readiness, _): return nil
    }
  }
  /// How often the process reports that it is alive, if it does.
  package var watchdog: Duration? { if case .watchdog(let span)? = healthy?.check { span } else { nil } }
  /// The name of the signal that asks the process to end.
  package var stopSignal = "SIGTERM"
  /// The maximum time between the stop signal and SIGKILL; `nil` for `cancelGrace`.
  package var stopTimeout: Duration?

  /// Creates the default policy.
  package init() {}
}
