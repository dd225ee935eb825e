import Testing

@testable import InitJSON

struct StrictJSONUnescapeTests {
  @Test(
    "each escape is replaced by its character",
    arguments: [
      (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u0041\u00e9\u00E9\uFFFF"#, "Aéé\u{FFFF}"),
      (#"\ud83d\ude00\uD800\uDC00\uDBFF\uDFFF"#, "😀\u{10000}\u{10FFFF}"), (#"a\u0000b"#, "a\u{0}b"), ("é😀", "é😀"),
      (#"\\u0041"#, #"\u0041"#), ("", ""),
    ])
  func escapes(text: String, meaning: String) throws {
    let value = try json("\"\(text)\"")
    #expect(value.string.map { Array($0.unicodeScalars) } == Array(meaning.unicodeScalars))
  }
}
