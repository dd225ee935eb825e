internal import CPlatform
internal import Glibc
public import Platform

// libuv's own listening pipe (version 1.44) isn't used, because of several faults. It binds a truncated path without an error, and unlinks
// the wrong file at the end. It sets the mode only after other users could connect. It drops clients silently when descriptors are
// exhausted, and accepts without a bound, so clients that connect and disconnect starve the loop. Invariants:
//
// 1. A path that is too long is an error.
// 2. The socket has its mode before it has a path, and listens before it has its final path (SocketPlace.swift).
// 3. An existing file at the path is removed only under the lock (SocketLock.swift), and only if it is a socket of our own user that
//    refuses connections. At the end, the file is removed only if it is still ours, by device and inode.
// 4. A turn accepts at most `acceptsPerTurn` connections.
// 5. When the system has no descriptor for a connection, the listener pauses for `restWhenExhausted`, and the clients wait in the backlog.
// 6. If its file is removed, e.g. by a cleaner of temporary files, it binds again at the same path, under the same lock. If another file
//    has the path by then, that file stays, and the listener retries every `restWhenLost`.

/// A listening Unix stream socket on a loop.
public final class Listener {
  /// How many connections are accepted per turn: few, because each can cost as much as the bytes that it has sent, even if it is refused.
  public static let acceptsPerTurn = 8
  /// How many connections may wait to be accepted.
  private static let backlog: Int32 = 128
  /// How long the listener pauses when the system has no resources for a connection.
  public static let restWhenExhausted = Duration.milliseconds(100)
  /// The delay before the listener tries again to get its path back.
  public static let restWhenLost = Duration.seconds(1)

  /// The path that the listener listens at.
  public let path: String
  /// Called once when the system has no descriptor or memory for a connection, and with nil when it has again.
  public var onExhausted: ((SystemError?) -> Void)?
  /// Called when the socket's file is missing: with nil if it is bound again, otherwise with the error.
  ///
  /// The error is reported only once, even if there are several attempts.
  public var onLost: ((ListenerError?) -> Void)?

  private let loop: Loop
  private let mode: UInt32
  private let group: UInt32?
  /// Nil if another process created the socket, whose lock and file aren't ours.
  private var lock: SocketLock?
  private var identity: FileIdentity?
  private var poll: Poll
  private let rest: Timer
  /// Runs while our file can't be watched, or another file has the path.
  private let lost: Timer
  /// Whether the exhaustion was reported.
  private var isExhausted = false
  /// Whether the loss of the path was reported.
  private var isLost = false
  private var file: FileWatch?
  private var onConnection: ((Descriptor, PeerCredentials) -> Void)?

  /// Binds and listens (protocol section 1).
  ///
  /// Each connection is passed to `onConnection`, close-on-exec and non-blocking, with the peer as reported by the kernel.
  ///
  /// - Parameters:
  ///   - loop: the loop of the listener.
  ///   - path: the path of the socket; its lock is the file of the same name with `.lock` appended.
  ///   - mode: the permissions of the socket.
  ///   - group: the group of the socket; by default the process's own.
  ///   - onLock: called with the lock once it is held, before the socket exists: a process forked here holds no copy of the socket.
  ///   - onConnection: called with each connection.
  /// - Throws: ``ListenerError``; nothing is left behind.
  public convenience init(
    loop: Loop, path: String, mode: UInt32 = 0o600, group: UInt32? = nil, onLock: (Descriptor) -> Void = { _ in },
    onConnection: @escaping (Descriptor, PeerCredentials) -> Void
  ) throws(ListenerError) {
    guard SocketAddress(path: path) != nil else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    let lock = try SocketLock(socketPath: path)
    onLock(lock.file)
    let (poll, identity) = try Listener.listen(at: path, lock, mode: mode, group: group, on: loop)
    try self.init(
      loop: loop, path: path, mode: mode, group: group, lock: lock, identity: identity, poll: poll,
      onConnection: onConnection)
    watchFile()
  }

  /// Listens on a socket of another process, for example systemd, which owns its file.
  ///
  /// - Parameters:
  ///   - loop: the loop of the listener.
  ///   - socket: a listening Unix stream socket.
  ///   - path: the path for clients.
  ///   - onConnection: called with each connection.
  /// - Throws: ``ListenerError`` if the system refuses to listen, or to watch the socket.
  public convenience init(
    loop: Loop, adopting socket: Descriptor, path: String,
    onConnection: @escaping (Descriptor, PeerCredentials) -> Void
  ) throws(ListenerError) {
    let poll: Poll
    do throws(SystemError) {
      // The kernel names the process that called listen() last as the peer of each later client (SO_PEERCRED). Without this call, clients
      // see the service manager: they can't tell whether this supervisor was killed.
      guard Glibc.listen(socket.number, Listener.backlog) == 0 else { throw .last("listen") }
      poll = try Poll(loop: loop, descriptor: socket, name: "listener \(path)")
    } catch {
      throw .system(path: path, error)
    }
    try self.init(
      loop: loop, path: path, mode: 0, group: nil, lock: nil, identity: nil, poll: poll, onConnection: onConnection)
  }

  private init(
    loop: Loop, path: String, mode: UInt32, group: UInt32?, lock: SocketLock?, identity: FileIdentity?, poll: Poll,
    onConnection: @escaping (Descriptor, PeerCredentials) -> Void
  ) throws(ListenerError) {
    self.loop = loop
    self.path = path
    self.mode = mode
    self.group = group
    self.lock = lock
    self.identity = identity
    self.poll = poll
    self.rest = Timer(loop: loop, name: "listener's rest \(path)")
    self.lost = Timer(loop: loop, name: "listener's loss \(path)")
    self.onConnection = onConnection
    do {
      try watch()
    } catch {
      close()
      throw .system(path: path, error)
    }
  }

  /// Binds and listens; under the lock.
  private static func listen(
    at path: String, _ lock: SocketLock, mode: UInt32, group: UInt32?, on loop: Loop
  ) throws(ListenerError) -> (Poll, FileIdentity) {
    let place = try SocketPlace(path: path)
    try place.removeStaleSocket()
    guard let fresh = place.temporary(lock) else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    try fresh.removeStaleSocket()
    do throws(SystemError) {
      let (socket, identity) = try fresh.bind(mode: mode, group: group)
      do throws(SystemError) {
        guard !FaultInjection.refuses(), Glibc.listen(socket.number, backlog) == 0 else { throw .last("listen") }
        let poll = try Poll(loop: loop, descriptor: socket, name: "listener \(path)")
        do throws(SystemError) {
          try fresh.rename(to: place)
        } catch {
          poll.close()
          throw error
        }
        return (poll, identity)
      } catch {
        fresh.remove(identity)
        throw error
      }
    } catch {
      guard error.errno == EEXIST, let found = place.identity else { throw .system(path: path, error) }
      throw .occupied(path: path, by: found.kind == S_IFSOCK ? .liveSocket(pid: nil) : found.occupant)
    }
  }

  /// Watches the socket's file from now on.
  ///
  /// If that fails, or the file is already missing, checks again later.
  private func watchFile() {
    file = try? FileWatch(loop: loop, path: path) { [weak self] _ in self?.checkFile() }
    if file == nil || identity?.isSame(as: FileIdentity(at: path)) != true {
      file?.close()
      file = nil
      lookLater()
    }
  }

  private func lookLater() {
    lost.start(after: Listener.restWhenLost) { [weak self] in
      self?.checkFile()
      if self?.file == nil { self?.watchFile() }
    }
  }

  /// Binds again if our file, which may have changed, is missing.
  private func checkFile() {
    guard onConnection != nil, let identity, var lock, !identity.isSame(as: FileIdentity(at: path)) else { return }
    file?.close()
    file = nil
    do throws(ListenerError) {
      // If its directory was removed, the lock file is missing too, and another supervisor could start: so the lock is checked.
      if !lock.isInPlace {
        lock = try SocketLock(socketPath: path)
        self.lock = lock
      }
      let (poll, identity) = try Listener.listen(at: path, lock, mode: mode, group: group, on: loop)
      // Connections that are pending on the old socket are still accepted, until none is left.
      for _ in 0..<8 { accept() }
      self.poll.close()
      self.poll.descriptor.close()
      self.poll = poll
      self.identity = identity
      do { try watch() } catch { restAfter(error) }
      isLost = false
      onLost?(nil)
      watchFile()
    } catch {
      if !isLost { onLost?(error) }
      isLost = true
      lookLater()
    }
  }

  deinit {
    removeSocket()
    lock?.release()
  }

  /// Stops accepting and removes the socket, but keeps the lock: no other process may listen here until ``close()``.
  ///
  /// Accepted connections stay open.
  public func stopAccepting() {
    guard onConnection != nil else { return }
    onConnection = nil
    onExhausted = nil
    onLost = nil
    file?.close()
    file = nil
    removeSocket()
    poll.close()
    rest.close()
    lost.close()
    poll.descriptor.close()
  }

  /// Stops accepting, removes the socket and releases the lock.
  ///
  /// Closes the listener; further calls have no effect. Accepted connections stay open. Deinit does the same.
  public func close() {
    stopAccepting()
    lock?.release()
  }

  private func removeSocket() {
    if poll.descriptor.number >= 0, let identity, identity.isSame(as: FileIdentity(at: path)) { unlink(path) }
  }

  private func watch() throws(SystemError) {
    try poll.start(.readable) { [weak self] _ in self?.accept() }
  }

  /// Accepts as many connections as one turn may accept.
  private func accept() {
    for _ in 0..<Listener.acceptsPerTurn {
      guard let onConnection else { return }
      let number = FaultInjection.refuses() ? -1 : platform_accept(poll.descriptor.number)
      guard number >= 0 else {
        switch errno {
        case EAGAIN: return recovered()
        case EINTR, ECONNABORTED: continue
        default: return restAfter(.last("accept4", path))
        }
      }
      let connection = Descriptor(owning: number)
      guard let peer = try? PeerCredentials(of: connection) else { continue }
      onConnection(connection, peer)
    }
    recovered()
  }

  /// Pauses accepting: after any other error, an immediate retry would fail again.
  private func restAfter(_ error: SystemError) {
    poll.stop()
    rest.start(after: Listener.restWhenExhausted) { [weak self] in
      guard let self, onConnection != nil else { return }
      do throws(SystemError) { try watch() } catch { restAfter(error) }
    }
    if !isExhausted { onExhausted?(error) }
    isExhausted = true
  }

  private func recovered() {
    guard isExhausted else { return }
    isExhausted = false
    onExhausted?(nil)
  }
}
