package import Glibc

/// Which file it is, whatever its name: device and inode, with kind and owner as they were when asked.
package struct FileIdentity {
  private let status: stat

  /// The file at a path, itself and not what a link leads to; nil with errno.
  package init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// The same, of a name in a directory.
  package init?(at name: String, in directory: Descriptor) {
    var status = stat()
    guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    self.status = status
  }

  /// The file behind an open descriptor; nil with errno.
  package init?(of descriptor: Descriptor) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { return nil }
    self.status = status
  }

  /// The S_IF… bits.
  package var kind: mode_t { status.st_mode & S_IFMT }
  /// The owner.
  package var user: UInt32 { status.st_uid }
  /// Its number, which no other file of its file system has.
  package var number: UInt64 { UInt64(status.st_ino) }
  /// How many names it has.
  package var links: UInt64 { UInt64(status.st_nlink) }
  /// The permission bits.
  package var mode: UInt32 { status.st_mode & 0o7777 }
  /// Whether it is the own user's, and nobody else may write in it.
  package var isOursAlone: Bool { user == geteuid() && mode & 0o022 == 0 }

  /// What it is, as a noun phrase.
  package var noun: String {
    switch kind {
    case S_IFREG: "a file"
    case S_IFDIR: "a directory"
    case S_IFLNK: "a symbolic link"
    case S_IFSOCK: "a socket"
    case S_IFIFO: "a named pipe"
    default: "a device"
    }
  }

  /// Whether both are the very same file.
  package func isSame(as other: FileIdentity?) -> Bool {
    guard let other else { return false }
    return status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
  }

  /// What to call it when it is in the way of a socket.
  package var occupant: ListenerError.Occupant {
    switch kind {
    case S_IFDIR: .directory
    case S_IFREG: .file
    case S_IFLNK: .symbolicLink
    case S_IFSOCK: .socketOfAnotherUser(uid: user)
    default: .other
    }
  }
}
