internal import FoundationEssentials

/// A value in etcd: JSON.
package protocol Record: Codable, Sendable, Hashable {}

extension Record {
  /// The JSON, with its members in the order of their names.
  package func json() -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Records have no numbers that JSON can't have.
    return (try? encoder.encode(self)).map(Array.init) ?? []
  }

  /// Reads a record; nil if it is none of this kind.
  package init?(json: [UInt8]) {
    guard let record = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
    self = record
  }
}
