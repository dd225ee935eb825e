import Testing

@testable import InitJSON

struct StrictJSONOpenKeysTests {
  private func object(_ keys: some Sequence<String>) -> [UInt8] {
    bytes("{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}")
  }

  @Test("a duplicate key is found at each position, among few keys and among many", arguments: 1...40)
  func everyPlace(count: Int) throws {
    let keys = (0..<count).map { "k\($0)" }
    #expect(throws: Never.self) { try RawJSON(object: object(keys)) }
    for again in keys {
      for spelling in [again, #"\u006B"# + again.dropFirst()] {
        let payload = object(keys + [spelling])
        let offset = payload.count - bytes(spelling).count - 5
        #expect(throws: StrictJSON.Fault(offset: offset, reason: .duplicateKey)) {
          try RawJSON(object: payload)
        }
      }
    }
  }

  @Test("when an object with many keys ends, its keys are forgotten, but not its parent's")
  func nested() {
    let many = (0..<30).map { "\"k\($0)\":0" }.joined(separator: ",")
    let good = "{\(many),\"a\":{\(many),\"b\":{\"k1\":0}},\"c\":{\(many)}}"
    #expect(throws: Never.self) { try RawJSON(object: bytes(good)) }
    #expect(throws: Never.self) { try RawJSON(object: bytes(#"{"a":{"b":{"c":0}},"b":0,"c":0}"#)) }
    #expect(throws: StrictJSON.Fault(offset: 19, reason: .duplicateKey)) {
      try RawJSON(object: bytes(#"{"a":{"b":{"c":0}},"a":0}"#))
    }
    let bad = "{\(many),\"a\":{\(many)},\"k29\":0}"
    #expect(throws: StrictJSON.Fault(offset: bytes(bad).count - 8, reason: .duplicateKey)) {
      try RawJSON(object: bytes(bad))
    }
  }

  @Test(
    "a duplicate key is found after keys that are the same as those of the object before",
    arguments: [2, 5, 15, 16, 17, 20])
  func twins(count: Int) {
    let keys = (0..<count).map { "k\($0)" }
    let first = String(decoding: object(keys), as: UTF8.self)
    let around = [("[", "]"), ("[[", "]]"), (#"{"a":"#, "}"), (#"{"k0":[1,"#, "]}")]
    func check(_ second: [String]) throws {
      for (before, after) in around {
        let between = before.hasPrefix("{\"a") ? #","b":"# : ","
        let text = before + first + between + String(decoding: object(second), as: UTF8.self) + after
        _ = try RawJSON(checking: bytes(text))
      }
    }
    for same in 0...count {
      #expect(throws: Never.self, "the first \(same) are the same") { try check(keys.prefix(same) + ["x", "y"]) }
      #expect(throws: Never.self) { try check(keys.prefix(same) + keys.dropFirst(same).reversed()) }
      for again in keys.prefix(same) {
        for rest in [[], ["x"], Array(keys.dropFirst(same))] {
          #expect(throws: StrictJSON.Fault.self, "\(again) after the first \(same) and \(rest)") {
            try check(keys.prefix(same) + rest + [again])
          }
          #expect(throws: StrictJSON.Fault.self) { try check(keys.prefix(same) + [again] + rest) }
        }
      }
    }
  }

  @Test("an object in an object ends the comparison with the object before")
  func nestedTwins() {
    let good = #"[{"a":{"a":1},"b":1},{"a":{"a":1},"b":1},{"a":{"b":1},"b":{"a":1}}]"#
    #expect(throws: Never.self) { try RawJSON(checking: bytes(good)) }
    for bad in [
      #"[{"a":{"a":1},"b":1},{"a":{"a":1},"a":1}]"#, #"[{"a":{"a":1,"b":1}},{"a":{"a":1,"a":1}}]"#,
      #"[{"a":{"a":1},"b":1},{"a":{"a":1},"b":1,"b":1}]"#, #"[{"a":1},{"b":{"a":1},"a":1,"b":1}]"#,
    ] {
      #expect(throws: StrictJSON.Fault.self, "\(bad)") { try RawJSON(checking: bytes(bad)) }
    }
  }

  @Test("keys are compared as bytes: canonically equivalent ones differ, among few and among many")
  func canonicallyEquivalent() {
    let filler = (0..<30).map { "k\($0)" }
    #expect(throws: Never.self) { try RawJSON(object: object(["\u{E9}", "e\u{301}"])) }
    #expect(throws: Never.self) { try RawJSON(object: object(filler + ["\u{E9}", "e\u{301}"])) }
  }

  @Test(
    "a duplicate at the end of 100,000 keys is found without comparing all pairs")
  func manyKeys() throws {
    // The limit detects a quadratic search: all pairs would be 5,000,000,000 comparisons.
    let keys = (0..<100_000).map { "key \($0)" }
    #expect(throws: Never.self) { try RawJSON(object: object(keys)) }
    #expect(throws: StrictJSON.Fault.self) { try RawJSON(object: object(keys + ["key 99999"])) }
  }
}
