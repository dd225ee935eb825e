internal import EventLoop
internal import Logging
internal import Platform

/// The sockets that clients connect to: the supervisor's own, and an optional one for observers only.
final class Sockets: Component {
  let shared: Shared
  private let connections: Connections
  private let processes: Processes
  private var listeners: [Listener] = []

  init(_ shared: Shared, connections: Connections, processes: Processes) {
    self.shared = shared
    self.connections = connections
    self.processes = processes
  }

  /// Starts to listen.
  ///
  /// - Throws: an error that says why a socket can't be created; then no socket is left.
  func open() throws(ListenerError) {
    if configuration.passedSocket != nil { processes.guardChildren(lock: nil) }
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
    let accept: (Descriptor, PeerCredentials) -> Void = { [connections] in
      connections.accept($0, $1, isReadOnly: isReadOnly)
    }
    let listener =
      if let passed {
        try Listener(loop: loop, adopting: passed, path: path, onConnection: accept)
      } else {
        try Listener(
          loop: loop, path: path, mode: mode, group: configuration.socketGroup,
          onLock: { [processes] in if !isReadOnly { processes.guardChildren(lock: $0) } }, onConnection: accept)
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
