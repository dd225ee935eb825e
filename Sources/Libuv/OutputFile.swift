internal import Glibc

/// A file in which a child may leave something: not there until it does, read once, and removed.
package struct OutputFile {
  /// Where the child may write it. Nobody else can where it is in a directory of ours alone.
  package let path: String

  /// A file that isn't there yet.
  package init(path: String) { self.path = path }

  /// What the child left; nil if it left nothing.
  ///
  /// - Parameter limit: how many bytes it may be.
  /// - Throws: why it can't be taken. It is removed all the same.
  package func take(limit: Int) throws(OutputFileError) -> [UInt8]? {
    // Neither what a link leads to, nor something whose opening or reading waits for somebody.
    let number = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else {
      guard errno != ENOENT else { return nil }
      let error = SystemError.last("open", path)
      remove()
      throw errno == ELOOP ? .notAFile : .system(error)
    }
    let descriptor = Descriptor(owning: number)
    remove()
    guard FileIdentity(of: descriptor)?.kind == S_IFREG else { throw .notAFile }
    let bytes: [UInt8]
    do { bytes = try descriptor.contents(upTo: limit + 1, path) } catch { throw .system(error) }
    guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    return bytes.isEmpty ? nil : bytes
  }

  /// Removes it, if it is there, whatever it is.
  package func remove() { FileTree.remove(path) }
}

/// Why what a child left can't be taken.
package enum OutputFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It is a directory, a link or something else.
  case notAFile
  /// It has more bytes than it may.
  case tooLarge(limit: Int)
  /// The system refused.
  case system(SystemError)

  /// What is wrong, and what to do.
  package var description: String {
    switch self {
    case .notAFile: "it is not a regular file; write to the path in INITD_OUTPUT itself"
    case .tooLarge(let limit): "it has more than \(limit) bytes; write it to a file of your own, and hand over its path"
    case .system(let error): "\(error)"
    }
  }
}
