internal import Glibc

extension [UInt8] {
  /// The text without the escape sequences by which terminals colour it.
  var withoutColours: [UInt8] {
    guard contains(0x1B) else { return self }
    var bytes: [UInt8] = []
    var rest = self[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1B, rest.first == UInt8(ascii: "[") else {
        bytes.append(byte)
        continue
      }
      // A control sequence ends with its first byte from 0x40 to 0x7E.
      rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0) }.dropFirst()
    }
    return bytes
  }

  /// Returns whether a text that isn't empty occurs in this one, byte for byte.
  func holds(_ text: String) -> Bool {
    let part = Array(text.utf8)
    return withUnsafeBytes { all in
      guard let start = all.baseAddress, let first = part.first else { return false }
      var from = 0
      while from + part.count <= all.count {
        guard let found = memchr(start + from, Int32(first), all.count - part.count - from + 1) else { return false }
        if memcmp(found, part, part.count) == 0 { return true }
        from = UnsafeRawPointer(found) - start + 1
      }
      return false
    }
  }
}
