import Testing

@testable import InitJSON

struct StrictJSONTests {
  @Test("every object of RFC 8259 passes (protocol §1)", arguments: JSONVectors.valid)
  func accepts(payload: [UInt8]) {
    #expect(throws: Never.self) { try RawJSON(object: payload) }
  }

  @Test(
    "everything that RFC 8259 or the protocol forbids is refused, with the byte and the rule (protocol §1)",
    arguments: JSONVectors.invalid)
  func refuses(_ invalid: JSONVectors.Invalid) {
    #expect(throws: StrictJSON.Fault(offset: invalid.offset, reason: invalid.reason)) {
      try RawJSON(object: invalid.payload)
    }
  }

  @Test("the vectors contain every reason")
  func everyReason() {
    for reason in StrictJSON.Reason.allCases {
      #expect(JSONVectors.invalid.contains { $0.reason == reason }, "\(reason)")
    }
  }

  @Test("every incomplete beginning of a valid payload is refused")
  func beginnings() {
    let payload = bytes(#"{"a":[1.5e-3,true,null,{"é\ud83d\ude00":"\n"}],"b":{"c":-0}}"#)
    for end in 0..<payload.count {
      #expect(throws: StrictJSON.Fault.self) { try RawJSON(object: Array(payload[..<end])) }
    }
    #expect(throws: Never.self) { try RawJSON(object: payload) }
  }

  @Test("all scalars pass unescaped except controls, quote and backslash; all except surrogates pass escaped")
  func allScalars() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let raw = [0x7B, 0x22] + bytes(String(Character(scalar))) + bytes("\":0}")
      let passes = (try? RawJSON(object: raw)) != nil
      if passes != (value >= 0x20 && scalar != "\"" && scalar != "\\") { Issue.record("U+\(String(value, radix: 16))") }
    }
    for unit in UInt16(0)...0xFFFF {
      let hex = String(unit, radix: 16)
      let raw = bytes(#"{"\u"# + String(repeating: "0", count: 4 - hex.count) + hex + "\":0}")
      let passes = (try? RawJSON(object: raw)) != nil
      if passes == (0xD800...0xDFFF ~= unit) { Issue.record("\\u\(hex)") }
    }
  }

  @Test("a control character is found at each place of a string, and no other character is one")
  func controlCharacters() {
    for place in 0..<20 {
      for byte in UInt8(0)..<0x80 where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
        var text = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
        text[place] = byte
        let payload = bytes(#"{"a":""#) + text + bytes("\"}")
        if byte < 0x20 {
          #expect(throws: StrictJSON.Fault(offset: 6 + place, reason: .controlCharacter)) {
            try RawJSON(object: payload)
          }
        } else {
          #expect(throws: Never.self) { try RawJSON(object: payload) }
        }
      }
    }
  }

  @Test("one pass finds each value's key, kind and text, at every depth")
  func tree() throws {
    let payload = bytes(#" { "a" : [1,{"x":2}] , "\u0062":"c" ,"n":-1.5e2,"t":true,"f":false,"z":null,"o":{"a":1}} "#)
    let object = try RawJSON(object: payload)
    #expect(object.kind == .object)
    #expect(object.bytes == payload[1..<payload.count - 1])
    #expect(object.values.map(\.key) == ["a", "b", "n", "t", "f", "z", "o"])
    #expect(object.values.map(\.kind) == [.array, .string, .number, .boolean, .boolean, .null, .object])
    #expect(object["a"] == (try json(#"[1,{"x":2}]"#)))
    #expect(object["b"]?.string == "c")
    #expect(object["n"]?.number == -150)
    #expect(object["t"]?.boolean == true)
    #expect(object["z"]?.kind == .null)
    #expect(object["o"]?["a"]?.integer == 1)
    #expect(object["x"] == nil)
    #expect(object[#"\u0062"#] == nil)
  }

  @Test("a fault has a position and a reason")
  func words() {
    #expect(
      StrictJSON.Fault(offset: 7, reason: .duplicateKey).description
        == "cannot read the JSON: duplicate key, at byte 7")
  }
}
