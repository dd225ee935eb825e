package import EventLoop
internal import InitModel
package import InitWire

extension Client {
  /// Connects to a supervisor.
  ///
  /// Without `within` there is one attempt, and hello isn't awaited: it is sent with the first request, and its errors are reported by that
  /// request. With `within`, the client waits for a supervisor that isn't running yet, until it has answered hello.
  ///
  /// `loop` is the client's event loop. `path` is the socket's path; if nil, chosen by the rule of the protocol. `program` is the name and
  /// version sent in hello; Status shows them for a worker. `within` says how long to wait for a supervisor; nil to not wait.
  /// `replyTimeout` is the time limit for an answer to a request that waits for nothing; while something is awaited, it is the maximum
  /// silence. Nil for no limit. `onWaiting` is called on the loop's thread after a second of waiting, once, with the reason. Throws
  /// `ClientError`: `noSocketPath`, `unreachable`, `silent`, `notASupervisor`, `refused`, or `cancelled`.
  package static func connect(
    loop: Loop, path: String? = nil, program: HelloRequest.Program, within: Duration? = nil,
    replyTimeout: Duration? = nil,
    onWaiting: (@Sendable (ClientError) -> Void)? = nil
  ) async throws(ClientError) -> Client {
    let path = if let path { path } else { try SocketPath.resolve() }
    let client = Client(loop: loop, path: path, program: program, replyTimeout: replyTimeout)
    if let within {
      try await client.open(within: within, onWaiting)
    } else {
      try await client.open()
    }
    return client
  }

  private func open() throws(ClientError) {
    try open(helloTimeout: Connection.helloTimeout) { _ in }
  }

  /// Tries until a supervisor has answered hello, or the time has passed; then it throws the error of the last attempt.
  ///
  /// If no time was left for an answer to the last attempt, it throws the error of the attempt before.
  private func open(within: Duration, _ onWaiting: (@Sendable (ClientError) -> Void)?) async throws(ClientError) {
    let deadline = loop.now + within
    let notice = WaitingNotice(loop: loop, path: path, within: within, onWaiting)
    defer { notice.end() }
    var pauses = ConnectPauses()
    var before: ClientError?
    while true {
      let left = deadline - loop.now
      do throws(ClientError) {
        return try await openAndGreet(helloTimeout: min(max(left, .milliseconds(1)), Connection.helloTimeout))
      } catch {
        if Task.isCancelled { throw .cancelled }
        guard error.mayPass, loop.now < deadline else {
          if case .silent = error, left <= .milliseconds(1) { throw before ?? error }
          throw error
        }
        before = error
        notice.reason = error
        await Sleep.on(loop, for: min(pauses.next(after: error), deadline - loop.now))
        if Task.isCancelled { throw .cancelled }
      }
    }
  }
}

extension ClientError {
  /// Whether this error can come from a supervisor that is starting or restarting.
  var mayPass: Bool {
    switch self {
    case .unreachable(.notFound), .unreachable(.refused), .unreachable(.busy), .lost, .silent, .unresponsive: true
    case .refused(let error): error.knownCode == .shuttingDown || error.detail == .limit("connections")
    case .unreachable, .noSocketPath, .notASupervisor, .closed, .unsendable, .timedOut, .cancelled: false
    }
  }

  /// Whether this error can be temporary for a client that was connected before: a supervisor was at this socket, so another supervisor may
  /// come.
  var mayPassAfterLoss: Bool {
    if case .notASupervisor = self { true } else { mayPass }
  }
}
