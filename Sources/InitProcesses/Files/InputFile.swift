internal import Glibc
package import Platform

/// A file for a child to read; only this user may read it.
package struct InputFile {
  /// The path.
  package let path: String

  /// Writes a new file.
  ///
  /// - Throws: an error that says why the file can't be written; in this case it doesn't exist.
  package init(path: String, _ bytes: [UInt8]) throws(SystemError) {
    self.path = path
    let number = FaultInjection.refuses() ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("open", path) }
    let file = Descriptor(owning: number)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        let error = SystemError.last("write", path)
        remove()
        throw error
      }
      written += count
    }
  }

  /// Removes the file, if it exists.
  package func remove() { FileTree.remove(path) }
}
