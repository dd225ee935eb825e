internal import Glibc

/// Why a socket can't be listened on.
public enum ListenerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path is empty, contains NUL, or exceeds the maximum for a socket's address (`maximum` bytes).
  case pathUnusable(path: String, maximum: Int)
  /// Another process holds the lock of the socket: a supervisor listens there, or will soon.
  ///
  /// The pid is from the lock file, nil if it couldn't be read.
  case alreadyRunning(path: String, pid: Int32?)
  /// There is another file at the path or at the lock's path, which stays.
  case occupied(path: String, by: Occupant)
  /// The system refused.
  case system(path: String, SystemError)

  /// The kind of that file.
  public enum Occupant: Equatable, Sendable {
    /// A socket on which another process listens, with its pid if the kernel reports it.
    case liveSocket(pid: Int32?)
    /// A stale socket of another user.
    case socketOfAnotherUser(uid: UInt32)
    /// A directory.
    case directory
    /// A regular file.
    case file
    /// A regular file of another user at the lock's path.
    case fileOfAnotherUser(uid: UInt32)
    /// A regular file with hard links at the lock's path.
    case hardLink
    /// A symbolic link.
    case symbolicLink
    /// A device or a named pipe.
    case other
  }

  /// A text that says what happened, why, and what to do.
  public var description: String { words(naming: "--socket") }

  /// Returns the message for callers that set the path in another way.
  ///
  /// - Parameter option: the option or variable with which the caller sets the path.
  /// - Returns: one sentence with the remedy.
  public func words(naming option: String) -> String {
    switch self {
    case .pathUnusable(let path, _) where path.isEmpty:
      "cannot bind the socket: its path is empty; choose another \(option)"
    case .pathUnusable(let path, let maximum) where path.utf8.count > maximum:
      "cannot bind \(path): the path has \(path.utf8.count) bytes, the maximum is \(maximum); choose a shorter \(option)"
    case .pathUnusable:
      "cannot bind the socket: its path contains NUL; choose another \(option)"
    case .alreadyRunning(let path, let pid):
      "cannot bind \(path): a supervisor\(pid.map { " (pid \($0))" } ?? "") is listening there; "
        + "stop it or choose another \(option)"
    case .occupied(let path, let occupant):
      "cannot bind \(path): \(occupant) exists there; remove it or choose another \(option)"
    case .system(let path, let error) where error.errno == ENOENT || error.errno == ENOTDIR:
      "cannot bind \(path): its directory doesn't exist; create it or choose another \(option)"
    case .system(let path, let error) where error.errno == EACCES || error.errno == EPERM || error.errno == EROFS:
      "cannot bind \(path): \(error); let this user write there, or choose another \(option)"
    case .system(let path, let error):
      "cannot bind \(path): \(error); fix this, or choose another \(option)"
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
    case .hardLink: "a file with hard links"
    case .symbolicLink: "a symbolic link"
    case .other: "a device or named pipe"
    }
  }
}
