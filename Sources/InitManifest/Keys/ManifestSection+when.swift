extension ManifestSection {
  /// The keys of `when`.
  static let whenKeys = [
    ManifestKey(
      "env", .condition, usual: "none",
      """
      An environment variable that must be set, as `NAME`, or have a value, as `NAME=VALUE`. The environment is that of the initializer's \
      command, or that which a command would have.
      """, example: "env: CI"),
    ManifestKey(
      "path", .word, usual: "none",
      "A file of any kind that must exist. A relative path starts at the manifest's directory.",
      example: "path: ./seed.sql"),
    ManifestKey(
      "missing", .word, usual: "none",
      "A file of any kind that must not exist. A relative path starts at the manifest's directory.",
      example: "missing: data/PG_VERSION"),
  ]
}
