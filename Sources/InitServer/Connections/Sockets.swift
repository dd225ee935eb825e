internal import EventLoop
internal import Logging
internal import Platform

/// The sockets that clients connect to: the supervisor's own, and an optional one for observers only.
final class Sockets {
  private let context: ServerContext
  private let connections: Connections
  private var listeners: [Listener] = []

  init(_ context: ServerContext, connections: Connections) {
    self.context = context
    self.connections = connections
  }

  /// Starts to listen.
  ///
  /// - Throws: an error that says why a socket can't be created; the caller closes those that could.
  func open(onLock: @escaping (Descriptor) -> Void) throws(ListenerError) {
    try listen(context.settings.main, isReadOnly: false, onLock: onLock)
    if let observers = context.settings.observers { try listen(observers, isReadOnly: true) }
  }

  private func listen(
    _ socket: ServerSettings.Socket, isReadOnly: Bool, onLock: @escaping (Descriptor) -> Void = { _ in }
  ) throws(ListenerError) {
    let (loop, logger, path) = (context.loop, context.logger, socket.path)
    let accept: (Descriptor, PeerCredentials) -> Void = { [connections] in
      connections.accept($0, $1, isReadOnly: isReadOnly)
    }
    let listener =
      if let passed = socket.passed {
        try Listener(loop: loop, adopting: passed.descriptor, path: path, onConnection: accept)
      } else {
        try Listener(
          loop: loop, path: path, mode: socket.mode, group: context.settings.group, onLock: onLock, onConnection: accept
        )
      }
    listener.onExhausted = { error in
      if let error {
        logger.warning("cannot accept connections for now: \(error)")
      } else {
        logger.info("accepting connections again")
      }
    }
    listener.onLost = { error in
      if let error {
        logger.error("\(path) was removed and can't be restored: \(error)")
      } else {
        logger.warning("\(path) was removed; it is restored")
      }
    }
    listeners.append(listener)
  }

  /// Accepts no more connections.
  func stopAccepting() {
    for listener in listeners { listener.stopAccepting() }
  }

  /// Removes the sockets.
  func close() {
    for listener in listeners { listener.close() }
    listeners = []
  }
}
