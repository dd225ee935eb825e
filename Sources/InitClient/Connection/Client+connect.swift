package import InitWire
package import Libuv

extension Client {
  /// Connects to a supervisor.
  ///
  /// Without `within` there is one attempt, and hello isn't waited for: it travels with the first request, and whatever
  /// is wrong with it is told by that request. With `within`, a supervisor that isn't up yet is waited for, until it has
  /// answered hello.
  ///
  /// - Parameters:
  ///   - loop: where the client is to live.
  ///   - path: the socket's; by the rule of protocol §1 if nil.
  ///   - program: who we say we are; what a worker is called in Status.
  ///   - within: how long to wait for a supervisor; nil for not at all.
  /// - Throws: `ClientError`: `noSocketPath`, `unreachable`, `silent`, `notASupervisor`, `refused`, or `cancelled`.
  package static func connect(
    loop: Loop, path: String? = nil, program: ProgramShape, within: Duration? = nil
  ) async throws(ClientError) -> Client {
    let path = if let path { path } else { try SocketPath.resolve() }
    let client = Client(loop: loop, path: path, program: program)
    if let within {
      try await client.open(within: within)
    } else {
      try await client.open()
    }
    return client
  }

  private func open() throws(ClientError) {
    try open(helloTimeout: Connection.helloTimeout) { _ in }
  }

  /// Tries until a supervisor has answered hello, or time is up; then the last attempt's reason is thrown.
  private func open(within: Duration) async throws(ClientError) {
    let deadline = loop.now + within
    var backoff = Backoff.waiting
    while true {
      do throws(ClientError) {
        let left = max(deadline - loop.now, .milliseconds(1))
        return try await openAndGreet(helloTimeout: min(left, Connection.helloTimeout))
      } catch {
        guard error.mayPass, loop.now < deadline else { throw error }
        await Sleep.on(loop, for: min(backoff.next(), deadline - loop.now))
        if Task.isCancelled { throw .cancelled }
      }
    }
  }
}

extension ClientError {
  /// Whether a supervisor that is only starting, or ending to start again, would look like this.
  var mayPass: Bool {
    switch self {
    case .unreachable(.notFound), .unreachable(.refused), .unreachable(.busy), .lost, .silent: true
    case .refused(let error): error.knownCode == .shuttingDown || error.knownCode == .limitExceeded
    case .unreachable, .noSocketPath, .notASupervisor, .closed, .unsendable, .timedOut, .cancelled: false
    }
  }
}
