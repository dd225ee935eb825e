internal import CPlatform
internal import Glibc

/// Opens regular files: other kinds of files are refused, without blocking.
package enum RegularFile {
  /// Opens a file to read it.
  ///
  /// `path` is the file's path. `followsLink` says whether the path may be a symbolic link. Throws ``RegularFileError``.
  package static func open(_ path: String, followsLink: Bool = false) throws(RegularFileError) -> Descriptor {
    // A named pipe's open would wait for a writer, and a terminal's would make it ours.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    let number = FaultInjection.refuses() ? -1 : Glibc.open(path, flags)
    guard number >= 0 else {
      let error = SystemError.last("open", path)
      switch error.errno {
      case ELOOP where !followsLink: throw .irregular("a symbolic link")
      // A socket, or a device without a driver, e.g. /dev/tty in a process without a terminal.
      case ENXIO: throw .irregular(noun(ofFileAt: path) ?? "not a regular file")
      default: throw .system(error)
      }
    }
    let file = Descriptor(owning: number)
    guard let identity = FileIdentity(of: file) else { throw .system(.last("fstat", path)) }
    guard identity.kind == S_IFREG else { throw .irregular(identity.noun) }
    return file
  }

  /// Returns the kind of the file at a path, as a noun phrase.
  ///
  /// Returns nil if the file is unknown, or a regular file.
  private static func noun(ofFileAt path: String) -> String? {
    let file = Descriptor(owning: platform_open_path(AT_FDCWD, path, 0))
    guard let found = FileIdentity(of: file), found.kind != S_IFREG else { return nil }
    return found.noun
  }
}

/// Why a file can't be opened.
package enum RegularFileError: Error, Equatable, Sendable {
  /// The file isn't a regular file; the noun phrase is its kind.
  case irregular(String)
  /// The system refused.
  case system(SystemError)
}
