import Testing

@testable import InitWire

@Suite("JSONWriter")
struct JSONWriterTests {
  @Test("Each ASCII character is escaped exactly if JSON requires it, at each place of a text")
  func escapes() {
    for byte in UInt8(0)..<0x80 {
      let character = String(UnicodeScalar(byte))
      let escaped: String
      switch character {
      case "\"", "\\": escaped = "\\" + character
      case "\n": escaped = "\\n"
      case "\r": escaped = "\\r"
      case "\t": escaped = "\\t"
      default: escaped = byte < 0x20 ? (byte < 16 ? "\\u000" : "\\u00") + String(byte, radix: 16) : character
      }
      for place in 0...17 {
        let (before, after) = (String(repeating: "é", count: place), String(repeating: "a", count: 17 - place))
        var writer = JSONWriter()
        writer.string(before + character + character + after)
        #expect(String(decoding: writer.take(), as: UTF8.self) == "\"\(before)\(escaped)\(escaped)\(after)\"")
      }
    }
  }
}
