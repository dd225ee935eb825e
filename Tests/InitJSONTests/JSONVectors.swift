import Testing

@testable import InitJSON

/// Texts by rule: those that `StrictJSON` must accept, and those that it must refuse, with the byte and the reason.
enum JSONVectors {
  /// A text that must be refused, with the rule and the byte.
  struct Invalid: CustomTestStringConvertible {
    let payload: [UInt8]
    let offset: Int
    let reason: StrictJSON.Reason

    init(_ text: String, _ offset: Int, _ reason: StrictJSON.Reason) {
      self.init(bytes(text), offset, reason)
    }

    init(_ payload: [UInt8], _ offset: Int, _ reason: StrictJSON.Reason) {
      self.payload = payload
      self.offset = offset
      self.reason = reason
    }

    var testDescription: String { String(decoding: payload.prefix(60), as: UTF8.self) }
  }

  /// Returns a value's bytes as a member of an object: the value begins at byte 5.
  static func member(_ value: [UInt8]) -> [UInt8] { bytes(#"{"a":"#) + value + bytes("}") }
  static func member(_ value: String) -> [UInt8] { member(bytes(value)) }
  static func text(_ content: [UInt8]) -> [UInt8] { member([0x22] + content + [0x22]) }
  static func text(_ content: String) -> [UInt8] { text(bytes(content)) }
  static func nested(_ depth: Int, _ open: String, _ inner: String, _ close: String) -> String {
    String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
  }

  static let valid: [[UInt8]] =
    [
      "{}", " \t\r\n{ \t\r\n} \t\r\n", #"{"":0}"#, #"{"a":{},"b":[]}"#, #"{ "a" : [ 1 , 2 ] , "b" : { "a" : 1 } }"#,
      // Equal keys of different objects; keys that only look equal.
      #"{"a":{"a":{"a":0}},"b":[{"a":0},{"a":0}]}"#, #"{"a":0,"A":0,"a ":0,"\u0041\u0041":0}"#,
      // Canonically equivalent, but different: é composed and decomposed, K and the Kelvin sign.
      "{\"\u{E9}\":0,\"e\u{301}\":0,\"K\":0,\"\u{212A}\":0}",
      nested(32, #"{"a":"#, "1", "}"), #"{"a":"# + nested(31, "[", "", "]") + "}",
    ].map(bytes)
    + [
      "0", "-0", "1", "-1", "10", "0.0", "0.10", "-0.5", "1e1", "1E1", "1e+1", "1e-1", "1.5e00", "0e0", "1e999",
      "1e-400",
      "123456789012345678901234567890", "true", "false", "null", "[]", "[[],{},null,true,false,0,\"\"]",
    ].map(member)
    + [
      "", " ", "a", #"\""#, #"\\"#, #"\/"#, #"\b\f\n\r\t"#, #"\u0000"#, #"\u001F"#, #"\uD7FF\uE000\uFFFF"#,
      #"\uD800\uDC00"#, #"\uDBFF\uDFFF"#, #"\ud83d\ude00"#, "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFFF}",
      "\u{D7FF}\u{E000}", "\u{10000}", "\u{10FFFF}", "\u{FEFF}", "\u{2028}\u{2029}", "/*//*/", "{[,:]}",
    ].map(text)

  static let structure: [Invalid] = [
    Invalid("", 0, .unexpectedEnd), Invalid("  ", 2, .unexpectedEnd), Invalid("{", 1, .unexpectedEnd),
    Invalid(#"{"a"#, 3, .unexpectedEnd), Invalid(#"{"a""#, 4, .unexpectedEnd), Invalid(#"{"a":"#, 5, .unexpectedEnd),
    Invalid(#"{"a":1"#, 6, .unexpectedEnd), Invalid(#"{"a":1,"#, 7, .unexpectedEnd),
    Invalid(#"{"a":["#, 6, .unexpectedEnd), Invalid(#"{"a":[1,"#, 8, .unexpectedEnd),
    // Exactly one object.
    Invalid("[]", 0, .notAnObject), Invalid("1", 0, .notAnObject), Invalid("\"a\"", 0, .notAnObject),
    Invalid("null", 0, .notAnObject), Invalid(" true", 1, .notAnObject), Invalid("}", 0, .notAnObject),
    Invalid("[{}]", 0, .notAnObject), Invalid("// a\n{}", 0, .notAnObject), Invalid([0], 0, .notAnObject),
    Invalid("{}{}", 2, .trailingBytes), Invalid("{} x", 3, .trailingBytes), Invalid("{}}", 2, .trailingBytes),
    Invalid("{},", 2, .trailingBytes), Invalid(bytes("{}") + [0], 2, .trailingBytes),
    Invalid("{}\u{A0}", 2, .trailingBytes), Invalid("{}\u{0C}", 2, .trailingBytes),
    // Members.
    Invalid("{a:1}", 1, .expectedKey), Invalid("{'a':1}", 1, .expectedKey), Invalid("{1:1}", 1, .expectedKey),
    Invalid("{,}", 1, .expectedKey), Invalid("{null:1}", 1, .expectedKey), Invalid("{]", 1, .expectedKey),
    Invalid(#"{"a":1,,"b":1}"#, 7, .expectedKey), Invalid(#"{"a"1}"#, 4, .expectedColon),
    Invalid(#"{"a"}"#, 4, .expectedColon), Invalid(#"{"a",1}"#, 4, .expectedColon),
    Invalid(#"{"a"::1}"#, 5, .expectedValue), Invalid(#"{"a":}"#, 5, .expectedValue),
    Invalid(#"{"a":,"b":1}"#, 5, .expectedValue), Invalid(#"{"a":]}"#, 5, .expectedValue),
    Invalid(#"{"a":1 "b":1}"#, 7, .expectedSeparator), Invalid(#"{"a":1;"b":1}"#, 6, .expectedSeparator),
    Invalid(#"{"a":1]"#, 6, .expectedSeparator), Invalid(#"{"a":1:2}"#, 6, .expectedSeparator),
    Invalid(#"{"a":"b""c"}"#, 8, .expectedSeparator),
    // Elements.
    Invalid(#"{"a":[,1]}"#, 6, .expectedValue), Invalid(#"{"a":[1,,2]}"#, 8, .expectedValue),
    Invalid(#"{"a":[1 2]}"#, 8, .expectedSeparator), Invalid(#"{"a":[1}"#, 7, .expectedSeparator),
    Invalid(#"{"a":[1:2]}"#, 7, .expectedSeparator), Invalid(#"{"a":[}"#, 6, .expectedValue),
    // Trailing commas and comments.
    Invalid(#"{"a":1,}"#, 7, .trailingComma), Invalid(#"{"a":[1,]}"#, 8, .trailingComma),
    Invalid(#"{"a":1/**/}"#, 6, .expectedSeparator), Invalid(#"{/**/}"#, 1, .expectedKey),
    Invalid(#"{"a":#1}"#, 5, .expectedValue),
    // Other encodings.
    Invalid([0xEF, 0xBB, 0xBF] + bytes("{}"), 0, .byteOrderMark), Invalid([0xFE, 0xFF, 0, 0x7B], 0, .notAnObject),
    Invalid([0x7B, 0, 0x7D, 0], 1, .expectedKey),
    Invalid(bytes("{") + [0xEF, 0xBB, 0xBF] + bytes("}"), 1, .expectedKey),
  ]

  static let words: [Invalid] = [
    ("tru", 8, StrictJSON.Reason.invalidLiteral), ("True", 5, .expectedValue), ("TRUE", 5, .expectedValue),
    ("truE", 8, .invalidLiteral), ("nul", 8, .invalidLiteral), ("nil", 6, .invalidLiteral),
    ("falsey", 10, .expectedSeparator), ("truefalse", 9, .expectedSeparator), ("undefined", 5, .expectedValue),
    ("NaN", 5, .expectedValue), ("Infinity", 5, .expectedValue), ("-Infinity", 6, .invalidNumber),
    ("01", 6, .invalidNumber), ("-01", 7, .invalidNumber), ("00", 6, .invalidNumber), ("+1", 5, .expectedValue),
    (".5", 5, .expectedValue), ("-.5", 6, .invalidNumber), ("1.", 7, .invalidNumber), ("1.e1", 7, .invalidNumber),
    ("1e", 7, .invalidNumber), ("1e+", 8, .invalidNumber), ("1e1.5", 8, .expectedSeparator), ("-", 6, .invalidNumber),
    ("--1", 6, .invalidNumber), ("0x1", 6, .expectedSeparator), ("1_0", 6, .expectedSeparator),
    ("1f", 6, .expectedSeparator), ("1 0", 7, .expectedSeparator), ("0.1.2", 8, .expectedSeparator),
    ("\u{661}", 5, .expectedValue),
  ].map { Invalid(member($0.0), $0.1, $0.2) }

  static let strings: [Invalid] =
    [
      (#"\a"#, 6, StrictJSON.Reason.invalidEscape), (#"\U0041"#, 6, .invalidEscape), (#"\x41"#, 6, .invalidEscape),
      (#"\'"#, 6, .invalidEscape), (#"\0"#, 6, .invalidEscape), (#"\u"#, 8, .invalidEscape),
      (#"\u004"#, 11, .invalidEscape), (#"\u00G1"#, 10, .invalidEscape), (#"\u+041"#, 8, .invalidEscape),
      (#"\u 041"#, 8, .invalidEscape),
      // Unpaired surrogates: a high one alone, before another character, before another high one; a low one alone or first.
      (#"\uD800"#, 6, .unpairedSurrogate), (#"\uDBFFx\uDC00"#, 6, .unpairedSurrogate),
      (#"\uD800\n"#, 6, .unpairedSurrogate), (#"\uD800\u0041"#, 6, .unpairedSurrogate),
      (#"\uD800\uD800"#, 6, .unpairedSurrogate), (#"\uDC00"#, 6, .unpairedSurrogate),
      (#"\uDFFF\uD800"#, 6, .unpairedSurrogate), (#"\uD800\\uDC00"#, 6, .unpairedSurrogate),
      ("\n", 6, .controlCharacter), ("\t", 6, .controlCharacter), ("a\u{1F}", 7, .controlCharacter),
      ("\u{0}", 6, .controlCharacter),
    ].map { Invalid(text($0.0), $0.1, $0.2) }
    + [
      Invalid(#"{"a":"b"#, 7, .unexpectedEnd), Invalid(#"{"a":"\"#, 7, .unexpectedEnd),
      Invalid(#"{"a":"\u00"#, 10, .unexpectedEnd), Invalid(#"{"a":"\uD800"#, 12, .unexpectedEnd),
      Invalid(#"{"a":"\uD800\"#, 12, .unpairedSurrogate), Invalid(#"{"a":tr"#, 7, .unexpectedEnd),
      Invalid(#"{"a":-"#, 6, .unexpectedEnd), Invalid(#"{"a":1."#, 7, .unexpectedEnd),
      Invalid("{\"a\nb\":1}", 3, .controlCharacter),
      Invalid(#"{"\uD800":1}"#, 2, .unpairedSurrogate),
    ]

  /// Byte sequences that aren't UTF-8: lone continuation bytes, truncated and overlong sequences, surrogates, values above U+10FFFF.
  static let utf8: [Invalid] = [
    [0x80], [0xBF], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x98],
    [0xF0, 0x28, 0x8C, 0xBC], [0xF0, 0x90, 0x28, 0xBC], [0xF0, 0x90, 0x8C, 0x28], [0xC3, 0xA9, 0xA9].suffix(1),
    [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0xAF],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF], [0xED, 0xBF, 0xBF],
    [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC], [0xFE], [0xFF],
  ].map { Invalid(text(Array($0)), 6, .invalidUTF8) }

  static let keys: [Invalid] = [
    Invalid(#"{"a":1,"a":1}"#, 7, .duplicateKey), Invalid(#"{"a":1,"b":2,"a":{}}"#, 13, .duplicateKey),
    Invalid(#"{"":1,"":1}"#, 6, .duplicateKey), Invalid(#"{"a":1,"\u0061":1}"#, 7, .duplicateKey),
    Invalid(#"{"\u0061":1,"\u0061":1}"#, 12, .duplicateKey), Invalid(#"{"\/":1,"/":1}"#, 8, .duplicateKey),
    Invalid(#"{"😀":1,"\uD83D\uDE00":1}"#, 10, .duplicateKey), Invalid(#"{"a":{"b":1,"b":1}}"#, 12, .duplicateKey),
    Invalid(#"{"a":[{"b":{}},{"b":1,"c":{"c":1},"b":1}]}"#, 34, .duplicateKey),
    Invalid(#"{"a":{"b":1},"a":1}"#, 13, .duplicateKey),
  ]

  static let depth: [Invalid] = [
    Invalid(nested(33, #"{"a":"#, "1", "}"), 160, .tooDeep),
    Invalid(#"{"a":"# + nested(32, "[", "", "]") + "}", 36, .tooDeep),
    Invalid(#"{"unknown":"# + nested(100_000, "[", "", "]") + "}", 42, .tooDeep),
    Invalid(String(repeating: "[", count: 1_000_000), 0, .notAnObject),
  ]

  /// All texts that must be refused.
  static let invalid: [Invalid] = structure + words + strings + utf8 + keys + depth
}
