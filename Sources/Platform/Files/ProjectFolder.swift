internal import Glibc

/// The folder of a project: a directory with a manifest, which has a supervisor and a socket of its own.
package struct ProjectFolder: Hashable, Sendable {
  /// The names of manifests that are found without being named, in the order in which they are looked for.
  package static let manifestNames = ["init.yaml", "init.yml"]

  /// The absolute path of the manifest.
  package let manifest: String
  /// The real path of its directory, which identifies the project.
  package let directory: String
  /// Whether the manifest belongs to this user, to root, or to the owner of the directory from which it was found: what others have put into
  /// a directory above isn't run without being named.
  package private(set) var isTrusted = true

  /// Finds the nearest directory with a manifest, from a directory upwards; nil if none has one.
  package init?(from directory: String) {
    let folders = Self.folders(from: directory)
    let owners = [geteuid(), 0, folders.first.flatMap { FileIdentity(behind: $0)?.user }]
    for folder in folders {
      for name in Self.manifestNames {
        let path = folder == "/" ? "/" + name : folder + "/" + name
        guard let identity = FileIdentity(behind: path), identity.isRegular else { continue }
        self.init(manifest: path)
        isTrusted = owners.contains(identity.user) && identity.mode & 0o002 == 0
        return
      }
    }
    return nil
  }

  /// Returns the real path of a directory and of all above it, the nearest first.
  package static func folders(from directory: String) -> [String] {
    // A path with links or dots has other parents.
    var folders = [real(directory) ?? WorkingDirectory.absolute(directory)]
    while let last = folders.last, last != "/" { folders.append(FilePath.directory(of: last)) }
    return folders
  }

  /// The folder of a manifest at a path.
  package init(manifest path: String) {
    manifest = WorkingDirectory.absolute(path)
    let folder = FilePath.directory(of: manifest)
    directory = Self.real(folder) ?? folder
  }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(validatingCString: real)
  }

  /// The path of the manifest as it is shown: from the working directory, if it is in it.
  package var shownManifest: String {
    guard let here = WorkingDirectory.current else { return manifest }
    let prefix = here == "/" ? here : here + "/"
    return manifest.hasPrefix(prefix) ? String(manifest.dropFirst(prefix.count)) : manifest
  }

  /// The name by which the files of the project are called in the user's runtime directory: 16 hexadecimal digits.
  package var name: String { Self.name(of: directory) }

  private static func name(of directory: String) -> String {
    var hash = SHA256()
    hash.update(Array(directory.utf8))
    return String(hash.hexDigest.prefix(16))
  }

  /// Returns the path of the project's socket, in the user's runtime directory.
  ///
  /// - Parameters:
  ///   - variables: the environment.
  ///   - creates: whether the directory is created if it doesn't exist.
  /// - Returns: the path.
  /// - Throws: why the directory can't be used.
  package func socket(_ variables: [String: String], creates: Bool) throws(SystemError) -> String {
    try Self.socket(of: directory, variables, creates: creates)
  }

  /// Returns the path of the socket of all manifests in a folder.
  ///
  /// `directory` is its real path. Throws why the user's runtime directory can't be used.
  package static func socket(
    of directory: String, _ variables: [String: String], creates: Bool
  ) throws(SystemError) -> String {
    "\(try UserRuntimeDirectory.path(variables, creates: creates))/\(name(of: directory)).sock"
  }
}
