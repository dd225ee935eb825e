import Testing

@testable import InitJSON

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
        let before = String(repeating: "é", count: place)
        let after = String(repeating: "a", count: 17 - place)
        var writer = JSONWriter()
        writer.string(before + character + character + after)
        #expect(String(decoding: writer.take(), as: UTF8.self) == "\"\(before)\(escaped)\(escaped)\(after)\"")
      }
    }
  }

  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  @Test(
    "An integer is written with all of its digits",
    arguments: [0, 1, 9, 10, 99, 100, 1_234_567_890, -1, -10, Int.max, Int.min, Int(Int32.min)])
  func integers(_ number: Int) {
    #expect(text { $0.integer(number) } == "\(number)")
    #expect(
      text { $0.array { array in for _ in 0..<3 { array.integer(number) } } } == "[\(number),\(number),\(number)]")
  }

  @Test("A number of seconds to the microsecond is written with the fewest digits")
  func seconds() {
    for largest: UInt64 in [100, 1_000_000, 1_000_000_000, 1_800_000_000, 3_999_999_999] {
      for step: UInt64 in 1...2000 {
        // Mixed, but the same in each run of the test. `description` has an exponent below 0.0001.
        let micros = 100 + step &* 0x9E37_79B9_7F4A_7C15 % (largest * 1_000_000)
        let number = Double(micros) / 1e6
        let expected = number.description.hasSuffix(".0") ? String(number.description.dropLast(2)) : number.description
        let written = text { $0.number(number) }
        if written != expected { Issue.record("\(number) is written as \(written)") }
      }
    }
  }

  @Test(
    "Each finite number is read back as it was",
    arguments: [
      0, -0.0, 1, -1, 0.5, -2.25, 1e-6, 1e-7, 0.1 + 0.2, 1.0 / 3, 4e9, 4_000_000_000.000001, 4294967296.5, 1e15, 1e16,
      1e300, -1e-300,
      .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ])
  func numbers(_ number: Double) throws {
    let written = text { $0.number(number) }
    #expect(try json(written).number == number)
    #expect(Double(written)?.sign == number.sign)
  }

  @Test("A long text, and one of many parts, have each byte", arguments: [1, 63, 64, 65, 4095, 4096, 4097, 20_000])
  func long(_ count: Int) {
    let a = String(repeating: "a", count: count)
    let quote = String(repeating: "\"", count: count)
    #expect(text { $0.string(a) } == "\"\(a)\"")
    #expect(text { $0.string(quote) } == "\"\(String(repeating: "\\\"", count: count))\"")
    let members = text {
      $0.object { object in
        for _ in 0..<count {
          object.key("k")
          object.boolean(true)
        }
      }
    }
    #expect(members == "{" + [String](repeating: "\"k\":true", count: count).joined(separator: ",") + "}")
  }

  @Test("A writer whose text was taken is empty")
  func takenTwice() {
    var writer = JSONWriter()
    writer.string("a")
    #expect(writer.take() == bytes("\"a\""))
    #expect(writer.take().isEmpty)
  }
}
