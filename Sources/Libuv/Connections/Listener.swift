internal import CPlatform
internal import Glibc
public import Platform

// Why not libuv's own listening pipe, as of 1.44: it binds a truncated path without a word and unlinks the wrong file at
// the end, sets the mode only after everybody could connect, drops clients silently when descriptors run out, and
// accepts without a bound, so that clients who connect and hang up starve the loop. Hence:
//
// 1. The path fits, or it is an error.
// 2. The mode is the socket's before it has a name, and it listens before it has its own (SocketPlace.swift).
// 3. What is at the path is removed only under the lock (SocketLock.swift), and only if it is a socket of our own user
//    that refuses connections. At the end it is removed only if it is still ours, by device and inode.
// 4. A turn accepts at most `acceptsPerTurn` connections.
// 5. When the system has no descriptor for a connection, the listener rests `restWhenExhausted`, and the clients wait in
//    the backlog; it doesn't spin.
// 6. When its file is gone, removed by somebody who tidied up, it binds again at the same path, under the same lock. Where something
//    else has the path by then, that stays, and the listener tries again every `restWhenLost`.

/// A listening Unix stream socket on a loop.
public final class Listener {
  /// How many connections a turn accepts.
  public static let acceptsPerTurn = 32
  /// How long it rests when the system can't give it a connection.
  public static let restWhenExhausted = Duration.milliseconds(100)
  /// How long it waits before it tries again to get its path back.
  public static let restWhenLost = Duration.seconds(1)

  /// The path it listens at.
  public let path: String
  /// Told when the system has no descriptor or memory for a connection, once, and with nil when it has again.
  public var onExhausted: ((SystemError?) -> Void)?
  /// Told when its file was gone: nil if it is bound again, else why it can't be for now; that is told once, however often it is tried.
  public var onLost: ((ListenerError?) -> Void)?

  private let loop: Loop
  private let mode: UInt32
  private let group: UInt32?
  /// Nil where somebody else made the socket, whose lock and file are not ours.
  private var lock: SocketLock?
  private var identity: FileIdentity?
  private var poll: Poll
  private let rest: Timer
  /// Running while our file can't be watched, or something else has the path.
  private let lost: Timer
  /// Somebody was told that the system has nothing left.
  private var isExhausted = false
  /// Somebody was told that the path can't be had.
  private var isLost = false
  private var file: FileWatch?
  private var onConnection: ((Descriptor, PeerCredentials) -> Void)?

  /// Binds and listens (protocol section 1). Each connection is handed to `onConnection`, close-on-exec and
  /// non-blocking, with the peer as the kernel knows it.
  ///
  /// - Parameters:
  ///   - loop: where it lives.
  ///   - path: the socket's; its lock is the file beside it with `.lock` after its name.
  ///   - mode: the socket's permissions.
  ///   - group: the group it belongs to; the process's own unless said.
  ///   - onLock: told of the lock when it is ours, before there is a socket: a copy of us made by then has none.
  ///   - onConnection: what to do with a connection.
  /// - Throws: ``ListenerError``; nothing is left behind then.
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

  /// Listens on a socket that somebody else has made and listens on, systemd for one. Its file is theirs.
  ///
  /// - Parameters:
  ///   - loop: where it lives.
  ///   - socket: a listening Unix stream socket.
  ///   - path: where clients find it.
  ///   - onConnection: what to do with a connection.
  /// - Throws: ``ListenerError`` where it can't be watched.
  public convenience init(
    loop: Loop, adopting socket: Descriptor, path: String,
    onConnection: @escaping (Descriptor, PeerCredentials) -> Void
  ) throws(ListenerError) {
    let poll: Poll
    do throws(SystemError) {
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
        guard !Seam.refuses(), Glibc.listen(socket.number, 128) == 0 else { throw .last("listen") }
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

  /// From now on it is known when something happens to our file. Where that can't be, or the name was gone before, it is looked at
  /// in a while.
  private func watchFile() {
    file = try? FileWatch(loop: loop, path: path) { [weak self] in self?.checkFile() }
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

  /// Something may have happened to our file: if it has lost its name, the name gets another.
  private func checkFile() {
    guard onConnection != nil, let identity, var lock, !identity.isSame(as: FileIdentity(at: path)) else { return }
    file?.close()
    file = nil
    do throws(ListenerError) {
      // With its directory the lock may be gone, too: another one would think itself alone.
      if !lock.isInPlace {
        lock = try SocketLock(socketPath: path)
        self.lock = lock
      }
      let (poll, identity) = try Listener.listen(at: path, lock, mode: mode, group: group, on: loop)
      // Who connected before is still taken from the old one, as long as nobody is left there.
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

  /// Accepts no more and removes the socket, but keeps the lock: nobody else may listen here until ``close()``.
  /// Connections already accepted live on.
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

  /// Accepts no more, removes the socket and lets go of the lock; any number of times. Connections already accepted live
  /// on. Dropping the listener does the same.
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

  /// Accepts this turn's share.
  private func accept() {
    for _ in 0..<Listener.acceptsPerTurn {
      guard let onConnection else { return }
      let number = Seam.refuses() ? -1 : platform_accept(poll.descriptor.number)
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

  /// Any other failure repeats at once if tried at once.
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
