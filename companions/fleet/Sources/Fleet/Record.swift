internal import FoundationEssentials

/// A value in etcd: JSON.
package protocol Record: Codable, Sendable, Hashable {}

extension Record {
  /// Returns the JSON, with its members sorted by name.
  package func json() -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Records contain no numbers that JSON can't represent.
    return (try? encoder.encode(self)).map(Array.init) ?? []
  }

  /// Reads a record; nil if it is none of this kind.
  package init?(json: [UInt8]) {
    guard let record = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
    self = record
  }
}
