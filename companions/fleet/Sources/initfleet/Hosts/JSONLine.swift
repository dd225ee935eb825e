internal import FoundationEssentials

/// Output for programs.
enum JSONLine {
  /// Returns a value as JSON, on one line, with its members sorted by name.
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
