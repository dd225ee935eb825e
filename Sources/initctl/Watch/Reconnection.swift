internal import InitClient
internal import InitModel
internal import InitWire

/// Decides what `watch` does when the supervisor disconnects: it waits for a new one.
struct Reconnection: Sendable {
  /// The maximum wait; nil to not wait.
  let limit: Duration?
  /// Whether to wait even after a shutdown.
  let survivesShutdown: Bool

  /// Returns whether to wait for a new supervisor after a connection has ended in this way.
  func waits(after error: any Error) -> Bool {
    guard limit != nil, let error = error as? ClientError else { return false }
    return error.isLoss
  }

  /// Throws an error to wait after, if the events have ended with a shutdown that this survives.
  func endsWithShutdown(of path: String) throws(ClientError) {
    if survivesShutdown { throw .lost(path: path, reason: "the supervisor has shut down") }
  }

  /// Connects to the next supervisor at the same path.
  ///
  /// `error` is the reason why the previous connection has ended; it is thrown if `watch` doesn't wait for a new one.
  func client(after previous: Client, _ error: any Error) async throws -> Client {
    guard let limit, waits(after: error) else { throw error }
    await previous.close()
    return try await Client.connect(
      loop: previous.loop, path: previous.path,
      program: HelloRequest.Program(name: "initctl", version: Release.version),
      within: limit, replyTimeout: previous.replyTimeout)
  }

  /// Returns the message when the connection has ended.
  static func lost(_ path: String, after error: (any Error)? = nil) -> String {
    if case .unresponsive? = error as? ClientError {
      return "the supervisor doesn't answer; waiting for it at \(path)"
    }
    return "the supervisor has gone; waiting for a new one at \(path)"
  }

  /// Returns the message when there is a connection again.
  static func renewed(_ pid: Int, isNew: Bool) -> String {
    isNew ? "connected to a new supervisor (pid \(pid))" : "connected again to the supervisor (pid \(pid))"
  }
}

extension ClientError {
  /// Whether a lost supervisor may come back, or be replaced by another one.
  fileprivate var isLoss: Bool {
    switch self {
    case .lost, .unresponsive: true
    case .noSocketPath, .unreachable, .silent, .notASupervisor, .closed, .refused, .unsendable, .timedOut, .cancelled:
      false
    }
  }
}
