package import EventLoop
internal import InitJSON
internal import InitModel
internal import InitText
package import InitWire

/// The outcome of a call: its answer, or the error.
typealias CallOutcome = Result<RawJSON, ClientError>

/// The errors of a client.
package enum ClientError: Error, Sendable, Equatable {
  /// No socket path was given, and neither variable is set.
  case noSocketPath
  /// Connecting to the socket failed.
  case unreachable(ConnectError)
  /// A process listens at the path, but didn't answer hello in time.
  case silent(path: String, after: Duration)
  /// The supervisor has answered hello, but no longer answers.
  case unresponsive(path: String, after: Duration)
  /// The peer violated the protocol; the connection was closed.
  case notASupervisor(path: String, reason: String)
  /// The supervisor closed the connection, or it broke.
  case lost(path: String, reason: String)
  /// The program closed the connection.
  case closed
  /// The supervisor refused the request or the connection.
  case refused(WireError)
  /// The request can't be sent: it is larger than the supervisor's limit, or a number in it can't be written as JSON.
  case unsendable(String)
  /// There was no answer within the caller's time limit.
  case timedOut(after: Duration)
  /// The waiting task was cancelled.
  case cancelled
}

extension ClientError: CustomStringConvertible {
  /// Says what happened, why, and what to do.
  package var description: String { words(naming: "--socket") }

  /// Returns the message for callers that give the socket in another way.
  ///
  /// `option` is the option with which the caller gives the socket.
  func words(naming option: String) -> String {
    switch self {
    case .noSocketPath:
      "cannot find the supervisor: no socket path is given; give it with \(option), or set INITD_SOCKET"
    case .unreachable(let error): Self.describe(error, option)
    case .silent(let path, let duration):
      "cannot connect to \(path): no answer to hello within \(duration.words); check whether the supervisor hangs"
    case .unresponsive(let path, let duration):
      "no answer from the supervisor at \(path) within \(duration.words); check whether it hangs, or wait longer with --reply-timeout"
    case .notASupervisor(let path, let reason):
      "cannot connect to \(path): this is not initd: \(reason)"
    case .lost(let path, let reason): "lost the connection to \(path): \(reason)"
    case .closed: "cannot send the request: the connection is closed"
    case .refused(let error): error.message
    case .unsendable(let reason): "cannot send the request: \(reason)"
    case .timedOut(let duration): "timed out: no answer within \(duration.words)"
    case .cancelled: "the request was cancelled"
    }
  }

  private static func describe(_ error: ConnectError, _ option: String) -> String {
    let remedy = "start one with initd, or give its socket with \(option)"
    return switch error {
    case .notFound(let path): "cannot connect to \(path): the socket doesn't exist; \(remedy)"
    case .refused(let path): "cannot connect to \(path): no supervisor is listening there; \(remedy)"
    case .notPermitted(let path):
      "cannot connect to \(path): not permitted; run as the supervisor's user or as root"
    case .pathUnusable, .busy, .system: "\(error)"
    }
  }
}
