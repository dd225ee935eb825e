internal import Glibc

/// Which file it is, whatever its name: device and inode, with kind and owner as they were when asked.
struct FileIdentity {
  private let status: stat

  /// The file at a path, itself and not what a link leads to; nil with errno.
  init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// The file behind an open descriptor; nil with errno.
  init?(of descriptor: Descriptor) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { return nil }
    self.status = status
  }

  /// The S_IF… bits.
  var kind: mode_t { status.st_mode & S_IFMT }
  /// The owner.
  var user: UInt32 { status.st_uid }

  /// Whether both are the very same file.
  func isSame(as other: FileIdentity?) -> Bool {
    guard let other else { return false }
    return status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
  }

  /// What to call it when it is in the way of a socket.
  var occupant: ListenerError.Occupant {
    switch kind {
    case S_IFDIR: .directory
    case S_IFREG: .file
    case S_IFLNK: .symbolicLink
    case S_IFSOCK: .socketOfAnotherUser(uid: user)
    default: .other
    }
  }
}
