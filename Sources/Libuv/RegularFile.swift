internal import Glibc

/// Opening a file that is to be a regular one: whatever else has the name is refused, and never waited for.
package enum RegularFile {
  /// Opens a file to read it.
  ///
  /// - Parameters:
  ///   - path: where it is.
  ///   - followsLink: whether the path may be a symbolic link.
  /// - Throws: ``RegularFileError``.
  package static func open(_ path: String, followsLink: Bool = false) throws(RegularFileError) -> Descriptor {
    // A named pipe's open would wait for a writer, and a terminal's would make it ours.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    let number = Seam.refuses() ? -1 : Glibc.open(path, flags)
    guard number >= 0 else {
      switch errno {
      case ELOOP where !followsLink: throw .irregular("a symbolic link")
      case ENXIO: throw .irregular("a socket")
      default: throw .system(.last("open", path))
      }
    }
    let file = Descriptor(owning: number)
    guard let identity = FileIdentity(of: file) else { throw .system(.last("fstat", path)) }
    guard identity.kind == S_IFREG else { throw .irregular(identity.noun) }
    return file
  }
}

/// Why a file can't be opened.
package enum RegularFileError: Error, Equatable, Sendable {
  /// It is something else: a noun phrase says what.
  case irregular(String)
  /// The system refused.
  case system(SystemError)
}
