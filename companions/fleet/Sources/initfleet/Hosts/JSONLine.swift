internal import FoundationEssentials

/// Output for programs.
enum JSONLine {
  /// A value as JSON, on one line, with its members in the order of their names.
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
