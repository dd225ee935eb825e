internal import CPlatform
internal import Glibc

extension Descriptor {
  /// Creates a Unix socket, close-on-exec and non-blocking.
  package static func unixSocket(isDatagram: Bool = false) throws(SystemError) -> Descriptor {
    let number = FaultInjection.refuses() ? -1 : platform_unix_socket(isDatagram ? 1 : 0)
    guard number >= 0 else { throw .last("socket") }
    return Descriptor(owning: number)
  }

  /// Binds a Unix socket that has its mode before it has a path, so excluded users can never connect.
  package static func boundUnixSocket(
    _ address: SocketAddress, mode: UInt32, isDatagram: Bool = false
  ) throws(SystemError) -> Descriptor {
    let socket = try unixSocket(isDatagram: isDatagram)
    guard !FaultInjection.refuses(), fchmod(socket.number, mode) == 0 else { throw .last("fchmod") }
    guard !FaultInjection.refuses(), address.bind(socket) == 0 else { throw .last("bind") }
    do throws(SystemError) {
      // A umask only removes permissions: until the mode is set, the socket has fewer of them than requested.
      var status = stat()
      guard !FaultInjection.refuses(), lstat(address.path, &status) == 0 else { throw .last("lstat", address.path) }
      if status.st_mode & S_IFMT == S_IFSOCK, status.st_mode & 0o7777 != mode, chmod(address.path, mode) != 0 {
        throw .last("chmod", address.path)
      }
    } catch {
      unlink(address.path)
      throw error
    }
    return socket
  }
}
