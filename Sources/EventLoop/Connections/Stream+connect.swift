internal import Glibc
public import Platform

/// Why a Unix socket can't be connected to.
public enum ConnectError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path is empty, contains NUL, or is longer than a socket's address holds (`maximum` bytes).
  case pathUnusable(path: String, maximum: Int)
  /// No file exists at the path.
  case notFound(path: String)
  /// No process listens at the path: a stale socket, or another kind of file.
  case refused(path: String)
  /// Permission denied.
  case notPermitted(path: String)
  /// The backlog of the listening socket is full; retry soon.
  case busy(path: String)
  /// The system refused.
  case system(path: String, SystemError)

  /// A text that says what happened, why, and what to do.
  public var description: String {
    switch self {
    case .pathUnusable(let path, let maximum) where path.utf8.count > maximum:
      "cannot connect to \(path): the path has \(path.utf8.count) bytes, the maximum is \(maximum); choose a shorter one"
    case .pathUnusable: "cannot connect to the socket: its path is empty or contains NUL; choose another"
    case .notFound(let path):
      "cannot connect to \(path): there is no socket; start the supervisor or choose another --socket"
    case .refused(let path):
      "cannot connect to \(path): no supervisor listens there; start the supervisor or choose another --socket"
    case .notPermitted(let path):
      "cannot connect to \(path): not permitted; run as the supervisor's user or as root"
    case .busy(let path): "cannot connect to \(path): its queue of connections is full; try again"
    case .system(let path, let error): "cannot connect to \(path): \(error.call): \(error.reason)"
    }
  }
}

extension Stream {
  /// Connects a paused stream to the Unix socket at `path`.
  ///
  /// Connecting a Unix socket never blocks. Throws ``ConnectError``; the path is never truncated.
  public static func connect(loop: Loop, path: String, name: String = "connection") throws(ConnectError) -> Stream {
    guard let address = SocketAddress(path: path) else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    do throws(SystemError) {
      let socket = try Descriptor.unixSocket()
      guard address.connect(socket) == 0 else { throw .last("connect") }
      let peer = try? PeerCredentials(of: socket)
      let stream = try Stream(loop: loop, descriptor: socket, name: name)
      stream.peer = peer
      return stream
    } catch {
      switch error.errno {
      case ENOENT, ENOTDIR: throw .notFound(path: path)
      case ECONNREFUSED: throw .refused(path: path)
      case EACCES, EPERM: throw .notPermitted(path: path)
      case EAGAIN: throw .busy(path: path)
      default: throw .system(path: path, error)
      }
    }
  }
}
