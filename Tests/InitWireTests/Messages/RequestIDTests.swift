import InitModel
import Testing

@testable import InitWire

struct RequestIDTests {
  @Test(
    "an id is an integer of 64 bits or a string of at most 64 bytes (protocol §2)",
    arguments: [
      ("1", .number(1)), ("0", .number(0)), ("-0", .number(0)), ("-9223372036854775808", .number(.min)),
      ("9223372036854775807", .number(.max)), ("\"\"", .string("")), (#""run-7""#, .string("run-7")),
      (#""\u0041""#, .string("A")),
      ("\"\(String(repeating: "a", count: 64))\"", .string(String(repeating: "a", count: 64))),
      ("\"\(String(repeating: #"\u00e9"#, count: 32))\"", .string(String(repeating: "é", count: 32))),
      ("\"\(String(repeating: #"\u00e9"#, count: 33))\"", nil), ("\"\(String(repeating: "a", count: 65))\"", nil),
      ("9223372036854775808", nil), ("1.0", nil), ("1e0", nil), ("null", nil), ("true", nil), ("[]", nil), ("{}", nil),
    ] as [(String, RequestID?)])
  func ids(text: String, id: RequestID?) throws {
    #expect(RequestID(try json(text)) == id)
  }

  @Test("ids are the same byte by byte, so canonically equivalent strings are two ids")
  func equality() {
    #expect(RequestID.string("\u{E9}") != .string("e\u{301}"))
    #expect(RequestID.string("1") != .number(1))
    #expect(Set<RequestID>([1, 1, "1", "a", "a", "\u{E9}", "e\u{301}"]).count == 5)
  }

  @Test("an id is shown in a log without quotes")
  func words() {
    #expect(RequestID.number(-7).description == "-7")
    #expect(RequestID.string("run-7").description == "run-7")
  }
}
