/// The hash function SHA-256 (FIPS 180-4): a value.
///
/// A library with SHA-256 is much larger than the rest of the code that needs it; see ARCHITECTURE.md.
package struct SHA256 {
  /// The number of bytes of a hash.
  package static let size = 32
  private static let blockSize = 64

  private var state: InlineArray<8, UInt32> = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes that don't fill a block yet.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  package init() { rest.reserveCapacity(Self.blockSize) }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += UInt64(bytes.count)
    var bytes = bytes
    if !rest.isEmpty {
      let taken = min(Self.blockSize - rest.count, bytes.count)
      rest += bytes[..<taken]
      bytes = UnsafeRawBufferPointer(rebasing: bytes[taken...])
      guard rest.count == Self.blockSize else { return }
      rest.withUnsafeBytes { Self.compress($0, &state) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / Self.blockSize * Self.blockSize
    for start in stride(from: 0, to: whole, by: Self.blockSize) {
      Self.compress(UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.blockSize]), &state)
    }
    rest += bytes[whole...]
  }

  /// Adds bytes.
  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// Returns the hash of all bytes so far.
  package var digest: [UInt8] {
    var copy = self
    // A one, zeros up to 8 bytes before the end of a block, and the number of bits.
    let padding = (Self.blockSize + 55 - Int(count % 64)) % Self.blockSize
    copy.update([0x80] + [UInt8](repeating: 0, count: padding) + Self.bytes(count &* 8))
    return copy.state.indices.flatMap { Self.bytes(copy.state[$0]) }
  }

  /// The hash in hexadecimal digits.
  package var hexDigest: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Returns a number, most significant byte first.
  package static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func compress(_ block: UnsafeRawBufferPointer, _ state: inout InlineArray<8, UInt32>) {
    var words = InlineArray<64, UInt32>(repeating: 0)
    for index in 0..<16 {
      words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
    }
    for index in 16..<64 {
      let early = words[index - 15]
      let late = words[index - 2]
      let first = rotated(early, 7) ^ rotated(early, 18) ^ (early &>> 3)
      let second = rotated(late, 17) ^ rotated(late, 19) ^ (late &>> 10)
      words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
    }
    var a = state[0]
    var b = state[1]
    var c = state[2]
    var d = state[3]
    var e = state[4]
    var f = state[5]
    var g = state[6]
    var h = state[7]
    for index in 0..<64 {
      let choice = (e & f) ^ (~e & g)
      let first = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ constants[index] &+ words[index]
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
      h = g
      g = f
      f = e
      e = d &+ first
      d = c
      c = b
      b = a
      a = first &+ second
    }
    for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
  }

  @inline(__always) private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    (word &>> bits) | (word &<< (32 &- bits))
  }

  private static let constants: InlineArray<64, UInt32> = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

extension SHA256 {
  /// Adds a text with its length, so two texts never have the same bytes as two others.
  package mutating func update(_ text: String) {
    let bytes = Array(text.utf8)
    update(Self.bytes(UInt64(bytes.count)) + bytes)
  }
}
