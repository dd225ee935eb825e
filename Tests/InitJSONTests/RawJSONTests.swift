import Testing

@testable import InitJSON

struct RawJSONTests {
  @Test(
    "an integer has 64 bits, and its text has neither fraction nor exponent",
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("9223372036854775808", nil), ("-9223372036854775809", nil), ("18446744073709551615", nil), ("1.0", nil),
      ("1.5", nil), ("1e2", nil), ("1E0", nil), ("1e-400", nil), ("true", nil), ("\"1\"", nil), ("null", nil),
      ("[1]", nil), ("{}", nil), ("100000000000000000000000000000000", nil),
    ] as [(String, Int64?)])
  func integers(text: String, integer: Int64?) throws {
    #expect(try json(text).integer == integer)
  }

  @Test(
    "only numbers that a double can hold are numbers",
    arguments: [
      ("0", 0), ("0.5", 0.5), ("-1.5e2", -150), ("1e-400", 0), ("1e308", 1e308), ("1e309", nil), ("-1e999", nil),
      ("100000000000000000000", 1e20), ("true", nil), ("\"1\"", nil),
    ] as [(String, Double?)])
  func numbers(text: String, number: Double?) throws {
    #expect(try json(text).number == number)
  }

  @Test("every number is rounded as by the standard library, whatever its digits, point and exponent")
  func rounding() throws {
    var texts = ["9007199254740991", "9007199254740993", "90071992547409.93", "-0", "-0.0", "0.1", "1e0", "1E-2"]
    texts += ["0.00000000000000000000001", "0.0000000000000000000001", "1763807589.1234567", "1.7976931348623157e308"]
    for digits in 1...20 {
      for point in 0...digits {
        let text = (0..<digits).map { Character(String(($0 * $0 + 5 * point) % 9 + 1)) }
        texts.append(String(text[..<point] + (point == digits ? "" : point == 0 ? "0." : ".") + text[point...]))
      }
    }
    for text in texts {
      let number = try #require(try RawJSON(checking: Array(text.utf8)).number, "\(text)")
      #expect(number.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }

  @Test("strings, Booleans and null are distinguished")
  func others() throws {
    #expect(try json(#""a\n""#).string == "a\n")
    #expect(try json("\"\"").string == "")
    #expect(try json("1").string == nil)
    #expect(try json("true").boolean == true)
    #expect(try json("false").boolean == false)
    #expect(try json("null").boolean == nil)
    #expect(try json("\"true\"").boolean == nil)
    #expect(try json("null").kind == .null)
  }

  @Test("a value's text excludes the whitespace around it, and includes that within it")
  func text() throws {
    #expect(try json(" \n{ \"a\": 1 }\t").bytes.elementsEqual(bytes("{ \"a\": 1 }")))
    #expect(RawJSON.emptyObject == (try json(" {}")))
    #expect(try json("1") != (try json("1.0")))
  }

  @Test("text that isn't one strict value is refused")
  func refused() {
    #expect(throws: StrictJSON.Fault(offset: 2, reason: .trailingBytes)) { try json("1 2") }
    #expect(throws: StrictJSON.Fault(offset: 0, reason: .unexpectedEnd)) { try json("") }
    #expect(throws: StrictJSON.Fault(offset: 3, reason: .trailingComma)) { try json("[1,]") }
  }
}
