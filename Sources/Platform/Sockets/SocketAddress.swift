package import Glibc

/// The address of a Unix socket.
///
/// A path that is too long is refused, never truncated.
package struct SocketAddress {
  /// The maximum length of a socket's path in bytes; the system needs one more for its end.
  package static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The path as it was given.
  package let path: String
  private var address = sockaddr_un()

  /// Creates the address of a path.
  ///
  /// Nil if the path is empty, too long, or contains NUL (the name would be truncated or abstract).
  package init?(path: String) {
    let bytes = path.utf8
    guard !bytes.isEmpty, bytes.count <= SocketAddress.maximumPathBytes, !bytes.contains(0) else { return nil }
    self.path = path
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  /// Calls `bind(2)`.
  ///
  /// Returns 0, or -1 with errno.
  package func bind(_ socket: Descriptor) -> Int32 {
    withPointer { Glibc.bind(socket.number, $0, $1) }
  }

  /// Calls `connect(2)`.
  ///
  /// Returns 0, or -1 with errno. On a non-blocking Unix socket it never waits: EAGAIN means that the backlog is full.
  package func connect(_ socket: Descriptor) -> Int32 {
    withPointer { Glibc.connect(socket.number, $0, $1) }
  }

  /// Calls `body` with the address as system calls take it, and its size.
  package func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
