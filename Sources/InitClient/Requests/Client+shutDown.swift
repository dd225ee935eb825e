internal import EventLoop
internal import InitJSON
internal import InitModel
internal import InitWire
internal import Platform

extension Client {
  /// What is left of a supervisor that has closed its connections.
  package enum Remainder: Sendable, Equatable, CustomStringConvertible {
    /// Its process still runs.
    case process(pid: Int32)
    /// Its lock file is still there.
    case lock(path: String)

    /// The sentence for people, without the time.
    package var description: String {
      switch self {
      case .process(let pid): "the supervisor has closed its connections, but its process (pid \(pid)) still runs"
      case .lock(let path): "the supervisor has closed its connections, but its lock \(path) is still there"
      }
    }
  }

  /// Shuts the supervisor down, and waits until it is gone: then another one can use its socket and its state directory.
  ///
  /// An own process of the supervisor has ended then. If it can't be watched, because it has no number in our pid namespace, or if the
  /// process has other work, the supervisor has removed its lock file, which is the last thing that it does.
  ///
  /// - Parameter limit: how long the supervisor may take for that once it has closed the connection.
  /// - Returns: what is left after that time; nil if the supervisor is gone.
  /// - Throws: `ClientError`; `unresponsive` if it doesn't close the connection, and is silent for the reply timeout.
  package func shutDown(within limit: Duration) async throws(ClientError) -> Remainder? {
    // Before the request, because the supervisor may end faster than its process could be found. The answer to hello identifies it.
    _ = try await send(PingRequest())
    let process = process
    let lock = SocketLock.path(ofSocket: path)
    let locked = FileIdentity(at: lock)
    let end = try await send(ShutdownRequest())
    expectNews()
    if case .unresponsive(let path, let after)? = await untilClosed() { throw .unresponsive(path: path, after: after) }
    if end.exits == true, let process {
      return await process.hasEnded(within: limit, on: loop) ? nil : .process(pid: process.pid)
    }
    let deadline = loop.now + limit
    var backoff = Backoff.waiting
    while let locked, locked.isSame(as: FileIdentity(at: lock)) {
      if loop.now >= deadline { return .lock(path: lock) }
      if Task.isCancelled { throw .cancelled }
      await Sleep.on(loop, for: backoff.next())
    }
    return nil
  }
}
