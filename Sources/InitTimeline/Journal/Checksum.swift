internal import InitText
internal import InitWire

/// The FNV-1a hash of 64 bits, as 16 hexadecimal digits: the same in every process. It detects damage, not manipulation.
package struct Checksum: CustomStringConvertible {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The checksum of some bytes.
  package init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  /// Its digits.
  package var description: String { value.digits(16, radix: 16) }
}
