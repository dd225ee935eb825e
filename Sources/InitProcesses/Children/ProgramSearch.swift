internal import Glibc
internal import Platform

/// Finds a program as `execvp` would, but in the child's PATH and from the child's working directory.
package struct ProgramSearch {
  /// The PATH: directories separated by colons; an empty one is the working directory.
  package let path: String
  /// The child's working directory; nil is ours.
  package let directory: String?

  /// Creates a search in a PATH, from a working directory.
  package init(path: String, directory: String?) {
    self.path = path
    self.directory = directory
  }

  /// Returns the path to execute.
  ///
  /// A name with a slash is already a path.
  ///
  /// Throws at step `find`: EACCES if a file was found that isn't executable, else ENOENT.
  package func locate(_ program: String) throws(SpawnError) -> String {
    guard !program.utf8.contains(UInt8(ascii: "/")) else { return program }
    var reason = ENOENT
    if !program.isEmpty {
      for element in path.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
        let candidate = element.isEmpty ? "./\(program)" : "\(String(Substring(element)))/\(program)"
        switch check(candidate) {
        case 0: return candidate
        case EACCES: reason = EACCES
        default: continue
        }
      }
    }
    throw SpawnError(call: .find, errno: reason, program: program, directory: directory)
  }

  /// Returns 0 if the file can be executed, or else the error.
  package func check(_ candidate: String) -> Int32 {
    let file = fromHere(candidate)
    var status = stat()
    guard stat(file, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
    return faccessat(AT_FDCWD, file, X_OK, AT_EACCESS) == 0 ? 0 : errno
  }

  /// Returns 0 if the working directory can be entered, or else the error.
  package func checkDirectory() -> Int32 {
    guard let directory else { return 0 }
    var status = stat()
    guard stat(directory, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFDIR else { return ENOTDIR }
    return faccessat(AT_FDCWD, directory, X_OK, AT_EACCESS) == 0 ? 0 : errno
  }

  private func fromHere(_ candidate: String) -> String {
    guard let directory, !candidate.utf8.starts(with: "/".utf8) else { return candidate }
    return "\(directory)/\(candidate)"
  }
}
