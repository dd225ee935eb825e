internal import Glibc

/// The file of a history, before SQLite opens it.
struct HistoryFile: Sendable, Equatable {
  private let device: dev_t
  private let inode: ino_t

  /// Creates the file if there is none, with mode 0600.
  ///
  /// An existing file isn't opened: closing it again would release SQLite's locks.
  static func create(_ path: String) throws(StoreError) {
    let directory = directory(of: path)
    var found = stat()
    guard stat(directory, &found) == 0 else { throw .cannotOpen(path, reason: "\(directory): \(reason())") }
    guard found.st_mode & S_IWOTH == 0 else { throw .exposed(path, directory: directory) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) } else if errno != EEXIST { throw .cannotOpen(path, reason: reason()) }
    try check(path, mode: R_OK | W_OK)
  }

  /// Checks that the file can be read.
  static func check(_ path: String) throws(StoreError) { try check(path, mode: R_OK) }

  private static func check(_ path: String, mode: Int32) throws(StoreError) {
    var found = stat()
    guard lstat(path, &found) == 0 else { throw .cannotOpen(path, reason: reason()) }
    switch found.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw .cannotOpen(path, reason: "it is a symbolic link, which isn't followed")
    default: throw .cannotOpen(path, reason: "it isn't a regular file")
    }
    guard access(path, mode) == 0 else { throw .cannotOpen(path, reason: reason()) }
  }

  /// Identifies the file at the path; nil if there is none.
  init?(at path: String) {
    var found = stat()
    guard lstat(path, &found) == 0 else { return nil }
    device = found.st_dev
    inode = found.st_ino
  }

  /// Returns the size of the file and its write-ahead log.
  static func bytes(_ path: String) -> Int {
    [path, path + "-wal"].reduce(0) { sum, each in
      var found = stat()
      return sum + (lstat(each, &found) == 0 ? Int(found.st_size) : 0)
    }
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
