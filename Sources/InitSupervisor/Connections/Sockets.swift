internal import Libuv
internal import Logging
internal import Platform

/// The sockets that clients connect to: the supervisor's own, and one where nobody may do more than observe.
final class Sockets: Part {
  /// Somebody has connected; the last says whether at the socket for observers.
  var onConnection: (Descriptor, PeerCredentials, Bool) -> Void = { _, _, _ in }
  /// The supervisor's place is locked, by this descriptor; nil if the service manager has made its socket.
  var onLock: (Descriptor?) -> Void = { _ in }

  let core: Core
  private var listeners: [Listener] = []

  init(_ core: Core) { self.core = core }

  /// Listens.
  ///
  /// - Throws: why a socket can't be made; there is none then.
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
        logger.error("\(path) was removed, and can't be made again: \(error)")
      } else {
        logger.warning("\(path) was removed; it is made again")
      }
    }
    listeners.append(listener)
  }

  /// Takes nobody in any more.
  func stopAccepting() {
    for listener in listeners { listener.stopAccepting() }
  }

  /// The sockets are gone, and the guard that holds their lock.
  func close() {
    loop.endGuard()
    for listener in listeners { listener.close() }
    listeners = []
  }
}
