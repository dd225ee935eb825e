internal import Glibc

/// A file that is standard output and standard error of a program in the background: it is renamed before it gets too large, so there are at
/// most two of them.
package enum LogFile {
  /// The size in bytes at which the file is renamed.
  package static let most = 10 << 20

  /// Makes a file standard output and standard error; it is created if it doesn't exist.
  ///
  /// - Throws: why it can't be opened.
  package static func redirect(to path: String) throws(SystemError) {
    let number = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0o600)
    guard number >= 0 else { throw .last("open", path) }
    let file = Descriptor(owning: number)
    for target in [STDOUT_FILENO, STDERR_FILENO] where dup2(file.number, target) < 0 { throw .last("dup2", path) }
  }

  /// Renames the file to `PATH.1` if it has this size, and begins a new one; the old one stays if that isn't possible.
  ///
  /// - Returns: the size of the file afterwards.
  static func rotate(_ path: String, at most: Int = most) -> Int {
    guard let size = size(), size >= most else { return size() ?? 0 }
    guard rename(path, path + ".1") == 0, (try? redirect(to: path)) != nil else { return size }
    return 0
  }

  private static func size() -> Int? {
    var status = stat()
    return fstat(STDERR_FILENO, &status) == 0 ? Int(status.st_size) : nil
  }
}
