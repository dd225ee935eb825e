internal import EventLoop
internal import Logging
internal import Platform

/// The sockets that clients connect to: the supervisor's own, and an optional one for observers only.
final class Sockets: Part {
  /// Called with each new connection, its peer, and whether it is at the observers' socket.
  var onConnection: (Descriptor, PeerCredentials, Bool) -> Void = { _, _, _ in }
  /// The descriptor that locks the socket's path; nil if the service manager created the socket.
  var onLock: (Descriptor?) -> Void = { _ in }

  let core: Core
  private var listeners: [Listener] = []

  init(_ core: Core) { self.core = core }

  /// Starts to listen.
  ///
  /// - Throws: why a socket can't be created; then none is left.
  func open() throws(ListenerError) {
    if configuration.passedSocket != nil { onLock(nil) }
    do throws(ListenerError) {
      try listen(
        configuration.socketPath, configuration.socketMode, configuration.passedSocket?.descriptor, isReadOnly: false)
      guard let path = configuration.observeSocketPath else { return }
      try listen(
        path, configuration.observeSocketMode, configuration.passedObserveSocket?.descriptor, isReadOnly: true)
    } catch {
      close()
      throw error
    }
  }

  private func listen(_ path: String, _ mode: UInt32, _ passed: Descriptor?, isReadOnly: Bool) throws(ListenerError) {
    let accept: (Descriptor, PeerCredentials) -> Void = { self.onConnection($0, $1, isReadOnly) }
    let listener =
      if let passed {
        try Listener(loop: loop, adopting: passed, path: path, onConnection: accept)
      } else {
        try Listener(
          loop: loop, path: path, mode: mode, group: configuration.socketGroup,
          onLock: { if !isReadOnly { self.onLock($0) } }, onConnection: accept)
      }
    listener.onExhausted = { [logger] error in
      if let error {
        logger.warning("cannot accept connections for now: \(error)")
      } else {
        logger.info("accepting connections again")
      }
    }
    listener.onLost = { [logger] error in
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

  /// Removes the sockets, and closes the guard that holds their lock.
  func close() {
    loop.endGuard()
    for listener in listeners { listener.close() }
    listeners = []
  }
}
