internal import Glibc

/// A link to a socket, in a directory of the user's own, for programs that know only the name of the link.
package struct SocketLink: Sendable {
  private let path: String
  private let socket: String

  /// Creates the link. It replaces an older link, and a socket that a supervisor has left behind.
  ///
  /// - Throws: why it can't be created: usually something else is at the path, which stays.
  package init(at path: String, to socket: String) throws(SystemError) {
    self.path = path
    self.socket = socket
    if let identity = FileIdentity(at: path) {
      let isLeft = identity.kind == S_IFSOCK && !Self.isListening(at: path)
      if identity.isLink || isLeft { unlink(path) }
    }
    guard symlink(socket, path) == 0 else { throw .last("link", path) }
  }

  /// Removes a link at which a socket is to be made, unless somebody listens at the socket to which it leads.
  package static func clear(_ path: String) {
    if FileIdentity(at: path)?.isLink == true, !isListening(at: target(of: path)) { unlink(path) }
  }

  /// Removes the link, unless it leads elsewhere now.
  package func remove() { if Self.target(of: path) == socket { unlink(path) } }

  /// Returns the socket to which a link leads; the path itself if it is no link.
  package static func target(of path: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return path }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Returns whether a process accepts connections at a socket. It counts as one that does if this user may not connect.
  package static func isListening(at path: String) -> Bool {
    guard let address = SocketAddress(path: path) else { return false }
    let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return true }
    let socket = Descriptor(owning: number)
    return address.connect(socket) == 0 || errno != ECONNREFUSED && errno != ENOENT
  }
}
