internal import Glibc

/// A file with a password.
enum PasswordFile {
  private static let maximumBytes = 4096

  /// Reads the password, which is the only line.
  ///
  /// The path may be a link, as for a container's secrets.
  static func read(_ path: String) throws(PasswordFileError) -> String {
    func fault(_ why: String) -> PasswordFileError {
      PasswordFileError(description: "cannot use the password file \(path): \(why)")
    }
    func failure() -> PasswordFileError { fault(String(cString: strerror(errno))) }
    // Without waiting for a writer, if it is a pipe.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw failure() }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure() }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw fault("it is a directory; give a regular file")
    default: throw fault("it isn't a regular file; give a regular file")
    }
    guard status.st_mode & 0o006 == 0 else {
      throw fault("other users can read or write it; change its mode (chmod o-rw)")
    }
    var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else { throw failure() }
    bytes.removeSubrange(count...)
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard 1...maximumBytes ~= bytes.count, bytes.allSatisfy({ $0 >= 0x20 }),
      let password = String(validating: bytes, as: UTF8.self)
    else { throw fault("it must contain one line of text, the password") }
    return password
  }
}

/// Why a file can't be used as the password.
struct PasswordFileError: Error, Equatable, CustomStringConvertible {
  let description: String
}
