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
    defer { remove() }
    let descriptor: Descriptor
    do throws(RegularFileError) {
      descriptor = try RegularFile.open(path)
    } catch {
      switch error {
      case .irregular: throw .notAFile
      case .system(let error) where error.errno == ENOENT: return nil
      case .system(let error): throw .system(error)
      }
    }
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
