internal import Glibc

/// Why a socket can't be listened on.
public enum ListenerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path is empty, has a NUL in it, or is longer than a socket's address holds (`maximum` bytes).
  case pathUnusable(path: String, maximum: Int)
  /// Another process holds the lock beside the socket: a supervisor listens there, or is about to. The pid is what it
  /// wrote there, nil if it couldn't be read.
  case alreadyRunning(path: String, pid: Int32?)
  /// Something else is at the path, or at that of the lock, and stays.
  case occupied(path: String, by: Occupant)
  /// The system refused.
  case system(path: String, SystemError)

  /// What is in the way.
  public enum Occupant: Equatable, Sendable {
    /// A socket at which somebody else listens, with that process where the kernel tells.
    case liveSocket(pid: Int32?)
    /// A socket that another user left behind.
    case socketOfAnotherUser(uid: UInt32)
    /// A directory.
    case directory
    /// A regular file.
    case file
    /// A regular file of another user, where the lock should be.
    case fileOfAnotherUser(uid: UInt32)
    /// A regular file that has other names too, where the lock should be.
    case hardLink
    /// A symbolic link, wherever it leads.
    case symbolicLink
    /// A device or a named pipe.
    case other
  }

  /// What, which one, why, and what to do.
  public var description: String { words(naming: "--socket") }

  /// The same for those who don't set the path with that option.
  ///
  /// - Parameter option: what they set it with.
  public func words(naming option: String) -> String {
    switch self {
    case .pathUnusable(let path, _) where path.isEmpty:
      "cannot bind the socket: its path is empty; choose another \(option)"
    case .pathUnusable(let path, let maximum) where path.utf8.count > maximum:
      "cannot bind \(path): the path has \(path.utf8.count) bytes, a socket's may have \(maximum); choose a shorter \(option)"
    case .pathUnusable:
      "cannot bind the socket: there is a NUL in its path; choose another \(option)"
    case .alreadyRunning(let path, let pid):
      "cannot bind \(path): a supervisor\(pid.map { " (pid \($0))" } ?? "") is listening there; "
        + "stop it or choose another \(option)"
    case .occupied(let path, let occupant):
      "cannot bind \(path): \(occupant) is in the way; remove it or choose another \(option)"
    case .system(let path, let error) where error.errno == ENOENT || error.errno == ENOTDIR:
      "cannot bind \(path): its directory doesn't exist; create it or choose another \(option)"
    case .system(let path, let error):
      "cannot bind \(path): \(error.call): \(error.reason); choose another \(option) if that can't be helped"
    }
  }
}

extension ListenerError.Occupant: CustomStringConvertible {
  /// A noun phrase.
  public var description: String {
    switch self {
    case .liveSocket(let pid): "a socket of another program\(pid.map { " (pid \($0))" } ?? "")"
    case .socketOfAnotherUser(let uid): "a socket of another user (uid \(uid))"
    case .directory: "a directory"
    case .file: "a file"
    case .fileOfAnotherUser(let uid): "a file of another user (uid \(uid))"
    case .hardLink: "a file that has other names too (hard links)"
    case .symbolicLink: "a symbolic link"
    case .other: "a device or named pipe"
    }
  }
}
