extension Manifest {
  /// The maximum size of a manifest in bytes.
  package static let maximumBytes = 1 << 20

  /// Parses the text of an `init.yaml`; `file` is its name in findings, and isn't opened.
  ///
  /// Throws all mistakes at once, by position. After a YAML syntax error the rest of the text is unknown. Mistakes before it are reported,
  /// but a missing part isn't, because it may follow the error.
  package static func parse(
    _ bytes: [UInt8], file: String, for purpose: Purpose = .supervisor
  ) throws(ManifestErrors) -> Manifest {
    var findings = Findings(file: file)
    guard let text = ManifestText(bytes, &findings) else { throw findings.sorted() }
    let root = text.withYAML { yaml in
      YAMLReader.document(from: yaml, &findings)
    }
    guard let root else { throw findings.sorted() }
    var reader = ManifestReader(findings: findings, purpose: purpose)
    let manifest = reader.manifest(from: root)
    guard reader.findings.isEmpty else { throw reader.findings.sorted() }
    return manifest
  }

  /// Parses a string in the same way.
  package static func parse(
    _ text: String, file: String, for purpose: Purpose = .supervisor
  ) throws(ManifestErrors) -> Manifest {
    try parse(Array(text.utf8), file: file, for: purpose)
  }
}
