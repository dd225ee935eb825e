/// How the readiness of a process is detected (S32).
package enum Readiness: Hashable, Sendable {
  /// The probe holds.
  ///
  /// `ofOwner` is true if a socket counts only if it belongs to the process or one of its descendants.
  case probe(Probe, ofOwner: Bool)
  /// The process reports its readiness, with `READY=1` of the sd_notify protocol.
  case notification

  /// Whether a probe says it, and not the process itself.
  package var isProbe: Bool {
    switch self {
    case .probe: true
    case .notification: false
    }
  }
}

extension Readiness: CustomStringConvertible {
  /// A description of the awaited event.
  package var description: String {
    switch self {
    case .probe(let probe, _): "\(probe.target)"
    case .notification: "READY=1"
    }
  }
}
