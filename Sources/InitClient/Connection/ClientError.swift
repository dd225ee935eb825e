package import InitWire
package import Libuv

/// Everything that can go wrong for a client.
package enum ClientError: Error, Sendable, Equatable {
  /// Nothing names a socket: no path was given, and neither variable is set (protocol §1).
  case noSocketPath
  /// The socket at the path can't be connected to.
  case unreachable(ConnectError)
  /// Somebody listens at the path, and didn't answer hello in time.
  case silent(path: String, after: Duration)
  /// What answers at the path doesn't keep to the protocol; the connection was closed.
  case notASupervisor(path: String, reason: String)
  /// The supervisor closed the connection, or it broke.
  case lost(path: String, reason: String)
  /// This side closed the connection.
  case closed
  /// The supervisor refused the request, or the connection as a whole (protocol §7).
  case refused(WireError)
  /// The request can't be sent: it is larger than the supervisor takes, or a number in it has no JSON.
  case unsendable(String)
  /// There was no answer in the time that the caller gave it.
  case timedOut(after: Duration)
  /// The task that waited was cancelled.
  case cancelled
}

extension ClientError: CustomStringConvertible {
  /// What, which one, why, and what to do.
  package var description: String { words(naming: "--socket") }

  /// The same for those who don't name the socket with that option.
  ///
  /// - Parameter option: what they name it with.
  func words(naming option: String) -> String {
    switch self {
    case .noSocketPath:
      "cannot tell where the supervisor listens: no socket is named; name it with \(option) or set INITD_SOCKET"
    case .unreachable(let error): Self.describe(error, option)
    case .silent(let path, let duration):
      "cannot talk to \(path): no answer to hello within \(duration.words); see whether the supervisor hangs"
    case .notASupervisor(let path, let reason):
      "cannot talk to \(path): what listens there isn't a supervisor of this protocol: \(reason)"
    case .lost(let path, let reason): "lost the supervisor at \(path): \(reason)"
    case .closed: "cannot go on: the connection was closed on this side"
    case .refused(let error): error.message
    case .unsendable(let reason): "cannot send the request: \(reason)"
    case .timedOut(let duration): "timed out: no answer within \(duration.words)"
    case .cancelled: "the request was cancelled"
    }
  }

  private static func describe(_ error: ConnectError, _ option: String) -> String {
    let remedy = "start one with initd, or name its socket with \(option)"
    return switch error {
    case .notFound(let path): "cannot reach \(path): there is no supervisor's socket; \(remedy)"
    case .refused(let path): "cannot reach \(path): no supervisor is listening there; \(remedy)"
    case .notPermitted(let path):
      "cannot reach \(path): not permitted; run as the supervisor's user or as root"
    case .pathUnusable, .busy, .system: "\(error)"
    }
  }
}
