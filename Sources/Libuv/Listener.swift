internal import CLibuv
internal import Glibc

// Why not libuv's own listening pipe, as of 1.44: it binds a truncated path without a word and unlinks the wrong file at
// the end, sets the mode only after everybody could connect, drops clients silently when descriptors run out, and
// accepts without a bound, so that clients who connect and hang up starve the loop. Hence:
//
// 1. The path fits, or it is an error.
// 2. The mode is the socket's before it has a name.
// 3. What is at the path is removed only under the lock (SocketLock.swift), and only if it is a socket of our own user
//    that refuses connections. At the end it is removed only if it is still ours, by device and inode.
// 4. A turn accepts at most `acceptsPerTurn` connections.
// 5. When the system has no descriptor for a connection, the listener rests `restWhenExhausted`, and the clients wait in
//    the backlog; it doesn't spin.

/// A listening Unix stream socket on a loop.
public final class Listener {
  /// How many connections a turn accepts.
  public static let acceptsPerTurn = 16
  /// How long it rests when the system can't give it a connection.
  public static let restWhenExhausted = Duration.milliseconds(100)

  /// The path it listens at.
  public let path: String
  /// Told when the system has no descriptor or memory for a connection, once for each rest.
  public var onExhausted: ((SystemError) -> Void)?

  private let lock: SocketLock
  private let identity: FileIdentity
  private let poll: Poll
  private let rest: Timer
  private var onConnection: ((Descriptor, PeerCredentials) -> Void)?

  /// Binds and listens (protocol section 1). Each connection is handed to `onConnection`, close-on-exec and
  /// non-blocking, with the peer as the kernel knows it.
  ///
  /// - Parameters:
  ///   - loop: where it lives.
  ///   - path: the socket's; its lock is the file beside it with `.lock` after its name.
  ///   - mode: the socket's permissions, less the process's umask.
  ///   - onConnection: what to do with a connection.
  /// - Throws: ``ListenerError``; nothing is left behind then.
  public init(
    loop: Loop, path: String, mode: UInt32 = 0o600, onConnection: @escaping (Descriptor, PeerCredentials) -> Void
  ) throws(ListenerError) {
    guard let address = SocketAddress(path: path) else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    let lock = try SocketLock(socketPath: path)
    try Listener.removeStaleSocket(at: path, address)
    let socket = try Listener.bind(path: path, address, mode: mode)
    guard let identity = FileIdentity(at: path) else { throw .system(path: path, .last("lstat")) }
    let poll: Poll
    do throws(SystemError) {
      guard listen(socket.number, 128) == 0 else { throw .last("listen") }
      poll = try Poll(loop: loop, descriptor: socket, name: "listener \(path)")
    } catch {
      unlink(path)
      throw .system(path: path, error)
    }
    self.path = path
    self.lock = lock
    self.identity = identity
    self.poll = poll
    self.rest = Timer(loop: loop, name: "listener's rest \(path)")
    self.onConnection = onConnection
    do {
      try watch()
    } catch {
      close()
      throw .system(path: path, error)
    }
  }

  deinit {
    removeSocket()
    lock.release()
  }

  /// Accepts no more and removes the socket, but keeps the lock: nobody else may listen here until ``close()``.
  /// Connections already accepted live on.
  public func stopAccepting() {
    guard onConnection != nil else { return }
    onConnection = nil
    onExhausted = nil
    removeSocket()
    poll.close()
    rest.close()
    poll.descriptor.close()
  }

  /// Accepts no more, removes the socket and lets go of the lock; any number of times. Connections already accepted live
  /// on. Dropping the listener does the same.
  public func close() {
    stopAccepting()
    lock.release()
  }

  private func removeSocket() {
    if poll.descriptor.number >= 0, identity.isSame(as: FileIdentity(at: path)) { unlink(path) }
  }

  private func watch() throws(SystemError) {
    try poll.start(.readable) { [weak self] _ in self?.accept() }
  }

  /// Accepts this turn's share.
  private func accept() {
    for _ in 0..<Listener.acceptsPerTurn {
      guard let onConnection else { return }
      let number = clibuv_accept(poll.descriptor.number)
      guard number >= 0 else {
        switch errno {
        case EAGAIN: return
        case EINTR, ECONNABORTED: continue
        default: return restAfter(.last("accept4", path))
        }
      }
      let connection = Descriptor(owning: number)
      guard let peer = try? PeerCredentials(of: connection) else { continue }
      onConnection(connection, peer)
    }
  }

  /// Any other failure repeats at once if tried at once.
  private func restAfter(_ error: SystemError) {
    poll.stop()
    rest.start(after: Listener.restWhenExhausted) { [weak self] in
      guard let self, onConnection != nil else { return }
      do throws(SystemError) { try watch() } catch { restAfter(error) }
    }
    onExhausted?(error)
  }

  /// Removes what a supervisor that died left behind, and nothing else. The lock must be held.
  private static func removeStaleSocket(at path: String, _ address: SocketAddress) throws(ListenerError) {
    guard let found = FileIdentity(at: path) else {
      guard errno == ENOENT else { throw .system(path: path, .last("lstat")) }
      return
    }
    guard found.kind == S_IFSOCK else { throw .occupied(path: path, by: found.occupant) }
    let probe: Descriptor
    do { probe = try Descriptor.unixSocket() } catch { throw .system(path: path, error) }
    if address.connect(probe) == 0 {
      throw .occupied(path: path, by: .liveSocket(pid: (try? PeerCredentials(of: probe))?.pid))
    }
    switch errno {
    case ECONNREFUSED where found.user == geteuid():
      guard found.isSame(as: FileIdentity(at: path)) else { throw .occupied(path: path, by: .liveSocket(pid: nil)) }
      guard unlink(path) == 0 else { throw .system(path: path, .last("unlink")) }
    case ECONNREFUSED, EACCES, EPERM: throw .occupied(path: path, by: .socketOfAnotherUser(uid: found.user))
    case ENOENT: return
    // EAGAIN: its backlog is full, so it lives; EPROTOTYPE: it is a datagram socket, and lives.
    default: throw .occupied(path: path, by: .liveSocket(pid: nil))
    }
  }

  private static func bind(path: String, _ address: SocketAddress, mode: UInt32) throws(ListenerError) -> Descriptor {
    do {
      return try Descriptor.boundUnixSocket(address, mode: mode)
    } catch {
      throw .system(path: path, error)
    }
  }
}

extension Descriptor {
  /// A Unix socket, close-on-exec and non-blocking.
  static func unixSocket(isDatagram: Bool = false) throws(SystemError) -> Descriptor {
    let number = clibuv_unix_socket(isDatagram ? 1 : 0)
    guard number >= 0 else { throw .last("socket") }
    return Descriptor(owning: number)
  }

  /// A Unix socket that has its mode before it has its name: nobody it doesn't let in gets in meanwhile.
  static func boundUnixSocket(
    _ address: SocketAddress, mode: UInt32, isDatagram: Bool = false
  ) throws(SystemError) -> Descriptor {
    let socket = try unixSocket(isDatagram: isDatagram)
    guard fchmod(socket.number, mode) == 0 else { throw .last("fchmod") }
    guard address.bind(socket) == 0 else { throw .last("bind") }
    // A umask takes bits away, never adds any: in between the socket was only more private than asked for.
    var status = stat()
    guard lstat(address.path, &status) == 0 else { throw .last("lstat", address.path) }
    if status.st_mode & 0o7777 != mode, chmod(address.path, mode) != 0 { throw .last("chmod", address.path) }
    return socket
  }
}
