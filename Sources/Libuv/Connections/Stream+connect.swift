internal import Glibc
public import Platform

/// Why a Unix socket can't be connected to.
public enum ConnectError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path is empty, has a NUL in it, or is longer than a socket's address holds (`maximum` bytes).
  case pathUnusable(path: String, maximum: Int)
  /// Nothing is at the path.
  case notFound(path: String)
  /// Somebody left a socket there, or something that is none, and nobody listens.
  case refused(path: String)
  /// The path's permissions don't let this user in.
  case notPermitted(path: String)
  /// Somebody listens, and so many wait already that the kernel takes no more; try again soon.
  case busy(path: String)
  /// The system refused.
  case system(path: String, SystemError)

  /// What, which one, why, and what to do.
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
  /// A paused stream, connected to the Unix socket at `path`. Connecting a Unix socket never waits.
  /// Throws ``ConnectError``; the path is never cut short.
  public static func connect(loop: Loop, path: String, name: String = "connection") throws(ConnectError) -> Stream {
    guard let address = SocketAddress(path: path) else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    do throws(SystemError) {
      let socket = try Descriptor.unixSocket()
      guard address.connect(socket) == 0 else { throw .last("connect") }
      return try Stream(loop: loop, descriptor: socket, name: name)
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
