/// How a kept process is checked after it is ready (S38).
package struct HealthPolicy: Hashable, Sendable {
  /// How it is checked.
  package enum Check: Hashable, Sendable {
    /// The probe is tried every so often.
    ///
    /// `ofOwner` is true if a socket counts only if it belongs to the process or one of its descendants.
    case probe(Probe, ofOwner: Bool)
    /// The probe of `ready` is tried, with these times; with `ofAnyone`, an answer of another process counts too.
    case readiness(every: Duration, tryTimeout: Duration, ofAnyone: Bool)
    /// The process reports that it is alive, with `WATCHDOG=1` of the sd_notify protocol, at least this often.
    case watchdog(Duration)
  }

  /// What follows when the process is unhealthy.
  package enum OnFailure: String, Hashable, Sendable, CaseIterable {
    /// The process is stopped, and its policy decides whether it is started again.
    case restart
    /// The status shows it, and nothing else happens.
    case report
  }

  /// How the process is checked.
  package var check: Check
  /// How many failures in a row make the process unhealthy.
  package var tries: Int
  /// What follows then.
  package var onFailure: OnFailure

  /// Creates a policy.
  package init(_ check: Check, tries: Int, onFailure: OnFailure) {
    self.check = check
    self.tries = tries
    self.onFailure = onFailure
  }

  /// Whether the process reports itself, so it needs a notification socket.
  package var isReported: Bool { if case .watchdog = check { true } else { false } }

  /// The pause between two checks of a probe.
  package static let usualPause = Duration.seconds(10)
  /// How many failures in a row make a process unhealthy, unless the manifest says otherwise.
  package static let usualTries = 3
}

extension HealthPolicy: CustomStringConvertible {
  /// A description of the check.
  package var description: String {
    switch check {
    case .probe(let probe, _): "\(probe.target)"
    case .readiness: "as ready"
    case .watchdog(let span): "WATCHDOG=1 within \(span)"
    }
  }
}
