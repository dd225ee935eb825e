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
