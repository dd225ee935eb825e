package import InitJSON
internal import InitText

/// JSON of the supervisor as one line of output: for `jq`, and safe for a terminal.
package enum JSONLine {
  /// Encodes a shape as JSON, with a newline.
  package static func line(_ shape: some JSONValue) throws -> [UInt8] { line(try shape.json()[...]) }

  /// Adds a newline to a value's text.
  ///
  /// Line breaks between tokens become spaces, and characters in strings that could affect a terminal are written as `\u…`: the value stays
  /// the same.
  package static func line(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(text.count + 1)
    if text.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      line += text
    } else {
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars { append(scalar, to: &line) }
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func append(_ scalar: Unicode.Scalar, to line: inout [UInt8]) {
    if scalar.value < 0x20 {
      // These characters occur only between tokens: strings can't contain them unescaped.
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
