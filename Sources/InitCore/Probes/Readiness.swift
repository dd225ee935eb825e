/// How a process is known to be ready (S32).
package enum Readiness: Hashable, Sendable {
  /// The probe holds.
  ///
  /// `ofOwner` says that a socket counts only if it belongs to the process or one of its descendants.
  case probe(Probe, ofOwner: Bool)
  /// The process says so, with `READY=1` as of sd_notify.
  case notification
}

extension Readiness: CustomStringConvertible {
  /// What is waited for.
  package var description: String {
    switch self {
    case .probe(let probe, _): "\(probe.target)"
    case .notification: "READY=1"
    }
  }
}
