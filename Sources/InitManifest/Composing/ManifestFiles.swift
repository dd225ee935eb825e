/// What a manifest is made of: its files, and what the caller chose for them.
package struct ManifestFiles: Hashable, Sendable {
  /// The paths of the files, in the order in which they are merged; at least one.
  package var paths: [String]
  /// The environment variables for `${NAME}`, by name.
  package var variables: [String: String]
  /// The profiles that are selected.
  package var profiles: [String]
  /// Whether the whole manifest is also wanted as one file, `Manifest.resolved`.
  package var resolves = false

  /// Creates a manifest's files: each one's values are put on top of those before it.
  package init(_ paths: [String], variables: [String: String] = [:], profiles: [String] = []) {
    self.paths = paths
    self.variables = variables
    self.profiles = profiles
  }
}

extension ManifestFiles {
  /// The contents of a file, as it was found.
  package struct Contents: Sendable {
    /// The bytes; those beyond one more than `Manifest.maximumBytes` may be absent.
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
    /// Why, as a phrase that begins with "cannot read".
    package let why: String

    /// Creates the error for a reason that begins with "cannot read".
    package init(_ why: String) { self.why = why }
  }

  /// Reads a file by its path.
  package typealias Reading = (_ path: String) throws(Unreadable) -> Contents

  /// Why files aren't a manifest.
  package enum Fault: Error, Hashable, Sendable {
    /// One of the files that the caller named can't be read.
    case unreadable(Unreadable)
    /// There are mistakes in them, or in what they include.
    case mistakes(ManifestErrors)
    /// A selected profile that none of their initializers and processes has; and what to do.
    case unknownProfile(String, remedy: String)
  }
}
