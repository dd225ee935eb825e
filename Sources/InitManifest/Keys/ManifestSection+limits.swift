extension ManifestSection {
  /// The keys of `limits`.
  static let limitsKeys = [
    ManifestKey(
      "openFiles", .count, usual: "the supervisor's", for: [.supervisor], "How many descriptors a process may have.",
      example: "openFiles: 4096"),
    ManifestKey(
      "memory", .size(isPositive: true), usual: "the supervisor's", for: [.supervisor],
      "The maximum address space of a process, as with `ulimit -v`. It isn't the memory that it really uses.",
      example: "memory: 512MiB"),
    ManifestKey(
      "core", .size(isPositive: false), usual: "the supervisor's", for: [.supervisor],
      "The largest core file that is written if it crashes; `0` for none.", example: "core: 0"),
  ]
}
