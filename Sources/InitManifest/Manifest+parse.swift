extension Manifest {
  /// The longest manifest that is read, in bytes.
  public static let maximumBytes = 1 << 20

  /// Reads the text of an `init.yaml`; `file` is what to call it in findings, and isn't opened.
  ///
  /// Throws all that is wrong, at once and by position. After an error in the YAML itself the rest of the text is unknown:
  /// what was found before it is told, and nothing is called missing that may stand behind it.
  public static func parse(_ bytes: [UInt8], file: String) throws(ManifestErrors) -> Manifest {
    var findings = Findings(file: file)
    guard let text = ManifestText(bytes, &findings) else { throw findings.sorted() }
    let root = text.withYAML { yaml in
      YAMLReader.document(from: yaml, &findings)
    }
    guard let root else { throw findings.sorted() }
    var reader = ManifestReader(findings: findings)
    let manifest = reader.manifest(from: root)
    guard reader.findings.isEmpty else { throw reader.findings.sorted() }
    return manifest
  }

  /// Reads the text of an `init.yaml`, as above.
  public static func parse(_ text: String, file: String) throws(ManifestErrors) -> Manifest {
    try parse(Array(text.utf8), file: file)
  }
}
