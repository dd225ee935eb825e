internal import CPlatform
public import EventLoop
internal import Glibc
public import Platform

/// A bound Unix datagram socket on a loop, for receiving: the target of a program's NOTIFY_SOCKET.
///
/// The kernel closes descriptors that are sent with a datagram.
public final class Datagrams {
  /// The maximum size of a datagram in bytes; a longer one is dropped.
  public static let maximumBytes = 4096
  /// How many datagrams are read per turn.
  public static let datagramsPerTurn = 16

  /// The path that the socket is bound to.
  public private(set) var path: String
  /// Called for each datagram, including empty ones; without a handler, datagrams are dropped.
  public var onMessage: (([UInt8]) -> Void)?

  private let loop: Loop
  private let socket: Descriptor
  private let identity: FileIdentity
  private var watch: ReadWatch?

  /// Binds a socket that only this user may write to, and passes each datagram to `onMessage`.
  ///
  /// Throws ``ListenerError`` if a file exists at the path.
  public init(loop: Loop, path: String, onMessage: (([UInt8]) -> Void)? = nil) throws(ListenerError) {
    guard let address = SocketAddress(path: path) else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    if let found = FileIdentity(at: path) {
      throw .occupied(path: path, by: found.kind == S_IFSOCK ? .liveSocket(pid: nil) : found.occupant)
    }
    do throws(SystemError) {
      socket = try Descriptor.boundUnixSocket(address, mode: 0o600, isDatagram: true)
      guard !FaultInjection.refuses(), let identity = FileIdentity(at: path) else {
        unlink(path)
        throw .last("lstat")
      }
      self.identity = identity
    } catch {
      throw .system(path: path, error)
    }
    self.loop = loop
    self.path = path
    self.onMessage = onMessage
    do {
      watch = try ReadWatch(loop: loop, descriptor: socket, name: "datagrams") { [weak self] in self?.receive() }
    } catch {
      close()
      throw .system(path: path, error)
    }
  }

  deinit { removeSocket() }

  /// Gives the socket another path, after which writes to the old one fail.
  ///
  /// Moving is much cheaper than creating a socket, whose file may cost more than starting the program.
  ///
  /// Throws ``ListenerError``, in which case the socket keeps its path.
  public func move(to path: String) throws(ListenerError) {
    guard SocketAddress(path: path) != nil else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    guard !FaultInjection.refuses(), rename(self.path, path) == 0 else {
      throw .system(path: path, .last("rename", self.path))
    }
    self.path = path
  }

  /// Lets only this user write to the socket.
  ///
  /// - Throws: the reason why the file can't be given to the user.
  package func give(to user: Accounts.User) throws(ListenerError) {
    guard !FaultInjection.refuses(), lchown(path, user.id, user.group) == 0 else {
      throw .system(path: path, .last("chown", path))
    }
  }

  /// Whether the socket's file still exists: a cleaner of temporary files may have removed it.
  public var isInPlace: Bool { identity.isSame(as: FileIdentity(at: path)) }

  /// Receives the queued datagrams, at most as many as the kernel queues for one socket.
  public func drain() {
    while receive() == Datagrams.datagramsPerTurn {}
  }

  /// Removes the socket's file, if it is still the bound one, and closes the socket.
  ///
  /// Closes the socket; further calls have no effect; deinit does the same. Queued datagrams are lost.
  public func close() {
    removeSocket()
    onMessage = nil
    watch?.close()
    socket.close()
  }

  private func removeSocket() {
    if socket.number >= 0, isInPlace { unlink(path) }
  }

  /// Receives as many datagrams as one turn may receive, and returns their number.
  @discardableResult
  private func receive() -> Int {
    var received = 0
    loop.withMemory { buffer in
      while received < Datagrams.datagramsPerTurn, socket.number >= 0 {
        let length = platform_receive(socket.number, buffer.baseAddress, Datagrams.maximumBytes)
        if length < 0, errno == EINTR { continue }
        guard length >= 0 else { break }
        received += 1
        if length <= Datagrams.maximumBytes { onMessage?([UInt8](buffer[..<length])) }
      }
    }
    return received
  }
}
