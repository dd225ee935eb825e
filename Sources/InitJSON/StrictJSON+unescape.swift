extension StrictJSON {
  /// Unescapes the text between two quotes, as UTF-8.
  ///
  /// The text must have been checked: every escape is complete, and every surrogate has its pair.
  static func unescape<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> [UInt8] where Bytes.Index == Int {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var at = bytes.startIndex
    while at < bytes.endIndex {
      let byte = bytes[at]
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        at += 1
        continue
      }
      let escaped = bytes[at + 1]
      at += 2
      switch escaped {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        var value = hexUnit(bytes, at)
        at += 4
        if 0xD800...0xDBFF ~= value {
          value = 0x10000 + (value - 0xD800) << 10 + (hexUnit(bytes, at + 2) - 0xDC00)
          at += 6
        }
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      default: result.append(escaped)
      }
    }
    return result
  }

  private static func hexUnit<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes, _ at: Int) -> UInt32
  where Bytes.Index == Int {
    bytes[at..<at + 4].reduce(0) { $0 << 4 | UInt32(hexDigit($1) ?? 0) }
  }
}
