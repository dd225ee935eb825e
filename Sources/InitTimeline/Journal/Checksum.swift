package import InitJSON
internal import InitText

/// The FNV-1a hash of 64 bits, as 16 hexadecimal digits: the same in every process.
///
/// The checksum detects damage, not manipulation.
package struct Checksum: CustomStringConvertible {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Computes the checksum of some bytes.
  package init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  package var description: String { value.digits(16, radix: 16) }
}

extension JSONValue {
  /// The checksum of the JSON, a space, and the JSON.
  ///
  /// The JSON with its checksum. The value must be writable: its numbers are finite.
  package var checked: [UInt8] {
    let json = (try? json()) ?? []
    return Array("\(Checksum(json)) ".utf8) + json
  }

  /// Reads the result of `checked`; nil if it is damaged.
  package init?(checked text: ArraySlice<UInt8>) {
    guard let text = Checksum.json(in: text), let json = try? RawJSON(checking: Array(text)),
      let value = try? json.read(Self.self)
    else { return nil }
    self = value
  }
}

extension Checksum {
  /// Returns the text behind a checksum and a space, if the checksum is right.
  package static func json(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let parts = text.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, "\(Checksum(parts[1]))".utf8.elementsEqual(parts[0]) else { return nil }
    return parts[1]
  }
}
