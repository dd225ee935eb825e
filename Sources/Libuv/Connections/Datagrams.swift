internal import CPlatform
internal import Glibc
public import Platform

/// A bound Unix datagram socket on a loop, to receive: what a program's NOTIFY_SOCKET points to.
///
/// Descriptors that come with a datagram are closed by the kernel unseen.
public final class Datagrams {
  /// The most bytes a datagram may have; a longer one is dropped whole.
  public static let maximumBytes = 4096
  /// How many datagrams a turn takes.
  public static let datagramsPerTurn = 16

  /// The path it is bound to.
  public private(set) var path: String
  /// What is told of each datagram, empty ones too; without it they are dropped.
  public var onMessage: (([UInt8]) -> Void)?

  private let identity: FileIdentity
  private let poll: Poll

  /// Binds a socket that only the own user may write to, and hands each datagram to `onMessage`.
  ///
  /// Throws ``ListenerError``: there must be nothing at the path.
  public init(loop: Loop, path: String, onMessage: (([UInt8]) -> Void)? = nil) throws(ListenerError) {
    guard let address = SocketAddress(path: path) else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    if let found = FileIdentity(at: path) {
      throw .occupied(path: path, by: found.kind == S_IFSOCK ? .liveSocket(pid: nil) : found.occupant)
    }
    do throws(SystemError) {
      let socket = try Descriptor.boundUnixSocket(address, mode: 0o600, isDatagram: true)
      do throws(SystemError) {
        guard !Seam.refuses(), let identity = FileIdentity(at: path) else { throw .last("lstat") }
        self.identity = identity
        poll = try Poll(loop: loop, descriptor: socket, name: "datagrams \(path)")
      } catch {
        unlink(path)
        throw error
      }
    } catch {
      throw .system(path: path, error)
    }
    self.path = path
    self.onMessage = onMessage
    do {
      try poll.start(.readable) { [weak self] _ in self?.receive() }
    } catch {
      close()
      throw .system(path: path, error)
    }
  }

  deinit { removeSocket() }

  /// Gives the socket another path: whoever writes to the old one finds nothing there. Far cheaper than a new socket, whose file may
  /// cost more than the program it is for.
  ///
  /// Throws ``ListenerError``; it keeps its path then.
  public func move(to path: String) throws(ListenerError) {
    guard SocketAddress(path: path) != nil else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    guard !Seam.refuses(), rename(self.path, path) == 0 else { throw .system(path: path, .last("rename", self.path)) }
    self.path = path
  }

  /// Whether it is still what is found at its path: something that tidies up may have removed it.
  public var isInPlace: Bool { identity.isSame(as: FileIdentity(at: path)) }

  /// Receives what is queued now, at most as much as the kernel queues for a socket that isn't read.
  public func drain() {
    while receive() == Datagrams.datagramsPerTurn {}
  }

  /// Removes the socket, if it is still the one that was bound, and closes it; any number of times. Dropping it does the
  /// same. What is queued in the kernel is lost.
  public func close() {
    removeSocket()
    onMessage = nil
    poll.close()
    poll.descriptor.close()
  }

  private func removeSocket() {
    if poll.descriptor.number >= 0, isInPlace { unlink(path) }
  }

  /// Receives this turn's share and says how many datagrams that were.
  @discardableResult
  private func receive() -> Int {
    for received in 0..<Datagrams.datagramsPerTurn {
      guard poll.descriptor.number >= 0 else { return received }
      var length = 0
      let message = [UInt8](unsafeUninitializedCapacity: Datagrams.maximumBytes) { buffer, count in
        length = platform_receive(poll.descriptor.number, buffer.baseAddress, buffer.count)
        count = min(max(length, 0), buffer.count)
      }
      guard length >= 0 else {
        if errno == EINTR { continue }
        return received
      }
      if length <= Datagrams.maximumBytes { onMessage?(message) }
    }
    return Datagrams.datagramsPerTurn
  }
}
