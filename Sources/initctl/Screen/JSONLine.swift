internal import InitWire

/// JSON as one line of output, as the supervisor wrote it: made for `jq`, and harmless on a terminal.
enum JSONLine {
  /// The value's text and a line's end.
  ///
  /// Whitespace between its parts that ends a line becomes a space, and what could play tricks on a terminal, which JSON
  /// allows in strings, is written as `\u…`: the value stays the same.
  static func line(_ value: RawJSON) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(value.bytes.count + 1)
    if value.bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      line += value.bytes
    } else {
      for scalar in String(decoding: value.bytes, as: UTF8.self).unicodeScalars { append(scalar, to: &line) }
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func append(_ scalar: Unicode.Scalar, to line: inout [UInt8]) {
    if scalar.value < 0x20 {
      // Only whitespace between the parts: a string has none of these as they are.
      line.append(UInt8(ascii: " "))
    } else if scalar.value < 0x7F {
      line.append(UInt8(scalar.value))
    } else if TerminalText.escape(String(scalar)).utf8.elementsEqual(String(scalar).utf8) {
      line.append(contentsOf: String(scalar).utf8)
    } else {
      for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
        line.append(contentsOf: "\\u\(unit.digits(4, radix: 16))".utf8)
      }
    }
  }
}
