/// The parts of a manifest: its files, and the caller's choices for them.
package struct ManifestFiles: Hashable, Sendable {
  /// The paths of the files, in the order in which they are merged; at least one.
  package var paths: [String]
  /// The environment variables for `${NAME}`, by name.
  package var variables: [String: String]
  /// The profiles that are selected.
  package var profiles: [String]
  /// Whether the whole manifest is also wanted as one file, `Manifest.resolved`.
  package var resolves = false

  /// Creates a manifest's files: the values of each file override those of the files before it.
  package init(_ paths: [String], variables: [String: String] = [:], profiles: [String] = []) {
    self.paths = paths
    self.variables = variables
    self.profiles = profiles
  }
}

extension ManifestFiles {
  /// The contents of a file, as it was found.
  package struct Contents: Sendable {
    /// The bytes of the file; after `Manifest.maximumBytes` plus one, the rest may be absent.
    package let bytes: [UInt8]
    /// The absolute path of its directory, at which its relative paths start.
    package let directory: String

    /// Creates the contents of a file in a directory.
    package init(_ bytes: [UInt8], in directory: String) {
      self.bytes = bytes
      self.directory = directory
    }
  }

  /// A file can't be read.
  package struct Unreadable: Error, Hashable, Sendable {
    /// The reason, as a phrase that begins with "cannot read".
    package let why: String

    /// Creates the error for a reason that begins with "cannot read".
    package init(_ why: String) { self.why = why }
  }

  /// Reads a file by its path.
  package typealias Reading = (_ path: String) throws(Unreadable) -> Contents

  /// The reason why files aren't a manifest.
  package enum Fault: Error, Hashable, Sendable {
    /// One of the files that the caller named can't be read.
    case unreadable(Unreadable)
    /// The files or their includes contain mistakes.
    case mistakes(ManifestErrors)
    /// A selected profile that no initializer and no process has; and what to do.
    case unknownProfile(String, remedy: String)
  }
}
