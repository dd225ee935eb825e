internal import Glibc

/// The identity of a file, independent of its name: device and inode, with the kind and owner at the time of the query.
package struct FileIdentity {
  private let status: stat

  /// Identifies the file at a path, without following a link; nil with errno.
  package init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// Identifies the file at a path, following links; nil with errno.
  package init?(behind path: String) {
    var status = stat()
    guard !FaultInjection.refuses(), stat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// Identifies the file with a name in a directory, without following a link; nil with errno.
  package init?(at name: String, in directory: Descriptor) {
    var status = stat()
    guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    self.status = status
  }

  /// Identifies the file behind an open descriptor; nil with errno.
  package init?(of descriptor: Descriptor) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { return nil }
    self.status = status
  }

  /// The S_IF… bits.
  package var kind: UInt32 { status.st_mode & S_IFMT }
  /// The owner.
  package var user: UInt32 { status.st_uid }
  /// The inode number.
  package var number: UInt64 { UInt64(status.st_ino) }
  /// The size in bytes.
  package var size: Int { Int(status.st_size) }
  /// The number of hard links.
  package var links: UInt64 { UInt64(status.st_nlink) }
  /// The permission bits.
  package var mode: UInt32 { status.st_mode & 0o7777 }
  /// Whether the file belongs to this user, and no other user may write it.
  package var isOursAlone: Bool { user == geteuid() && mode & 0o022 == 0 }

  /// Whether the file is a directory.
  package var isDirectory: Bool { kind == S_IFDIR }
  /// Whether the file is a symbolic link.
  package var isLink: Bool { kind == S_IFLNK }
  /// Whether the file is a regular file.
  package var isRegular: Bool { kind == S_IFREG }

  /// The kind, as a noun phrase.
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

  /// What changes with the contents of a file, and with the file at a path.
  package var version: Version {
    Version(
      device: UInt64(status.st_dev), number: number, size: size,
      modified: .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec),
      changed: .seconds(status.st_ctim.tv_sec) + .nanoseconds(status.st_ctim.tv_nsec))
  }

  /// A file at one time: while it is equal, the contents are.
  package struct Version: Hashable, Sendable {
    fileprivate let device: UInt64
    fileprivate let number: UInt64
    fileprivate let size: Int
    fileprivate let modified: Duration
    fileprivate let changed: Duration
  }

  /// Returns whether both identities are those of the same file.
  package func isSame(as other: FileIdentity?) -> Bool {
    guard let other else { return false }
    return status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
  }

  /// The description of a file that occupies a socket's path.
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
