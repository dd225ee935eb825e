internal import InitClient
internal import InitWire

/// What `watch` does when the supervisor goes away: it waits for a new one.
struct Reconnection: Sendable {
  /// How long it waits at most; nil to not wait.
  let limit: Duration?
  /// Whether it also waits after a shutdown.
  let survivesShutdown: Bool

  /// Whether it waits for a new supervisor after a connection has ended in this way.
  func waits(after error: any Error) -> Bool {
    if limit != nil, case ClientError.lost = error { true } else { false }
  }

  /// The events have ended with a shutdown: throws an error to wait after, if it is to wait.
  func endsWithShutdown(of path: String) throws(ClientError) {
    if survivesShutdown { throw .lost(path: path, reason: "the supervisor has shut down") }
  }

  /// A connection to the supervisor that comes next at the same path.
  ///
  /// - Parameter error: why the previous connection has ended; it is thrown if no new one is to be waited for.
  func client(after previous: Client, _ error: any Error) async throws -> Client {
    guard let limit, waits(after: error) else { throw error }
    return try await Client.connect(
      loop: previous.loop, path: previous.path, program: ProgramShape(name: "initctl", version: Release.version),
      within: limit)
  }

  /// What to tell when the supervisor has gone.
  static func lost(_ path: String) -> String { "the supervisor has gone; waiting for a new one at \(path)" }

  /// What to tell when there is a connection again.
  static func renewed(_ pid: Int, isNew: Bool) -> String {
    isNew ? "connected to a new supervisor (pid \(pid))" : "connected again to the supervisor (pid \(pid))"
  }
}
