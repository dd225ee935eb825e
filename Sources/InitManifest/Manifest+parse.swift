extension Manifest {
  /// The maximum size of a manifest in bytes.
  package static let maximumBytes = 1 << 20

  /// Parses the text of an `init.yaml`; `file` is its name in findings, and isn't opened.
  ///
  /// The file can't include others.
  ///
  /// Throws all mistakes at once, by position. After a YAML syntax error the rest of the text is unknown. Mistakes before it are reported,
  /// but a missing part isn't, because it may follow the error.
  package static func parse(
    _ bytes: [UInt8], file: String, for purpose: Purpose = .supervisor
  ) throws(ManifestErrors) -> Manifest {
    try compose([(file, ManifestFiles.Contents(bytes, in: ""))], ManifestFiles([file]), for: purpose) {
      path throws(ManifestFiles.Unreadable) in
      throw ManifestFiles.Unreadable("cannot read \(quoted(path)): only one file can be read here")
    }
  }

  /// Parses a string in the same way.
  package static func parse(
    _ text: String, file: String, for purpose: Purpose = .supervisor
  ) throws(ManifestErrors) -> Manifest {
    try parse(Array(text.utf8), file: file, for: purpose)
  }
}
