import Testing

@testable import InitWire

struct RawJSONDecodeTests {
  @Test(
    "what doesn't fit a shape is told by its path",
    arguments: [
      (#"{"lines":[{"time":1,"initializer":"a","run":1,"stream":"stdout"}]}"#, ".lines[0].line"),
      (#"{"lines":[{"time":1,"initializer":"a","run":"x","stream":"stdout","line":""}]}"#, ".lines[0].run"),
      (#"{"lines":[{"time":1,"initializer":"a","run":1,"stream":"nowhere","line":""}]}"#, ".lines[0].stream"),
      (#"{"lines":null}"#, ".lines"), ("[]", ""),
    ])
  func path(text: String, path: String) throws {
    let fault = #expect(throws: ShapeFault.self) { try json(text).decode(LogsResult.self) }
    #expect(fault?.path == path)
    #expect(fault?.reason.isEmpty == false)
  }

  @Test("a value is decoded from its own part of the message")
  func part() throws {
    let outline = try StrictJSON.outline(message: bytes(#"{"id":1,"result":{"cancelled":["a"]}}"#))
    #expect(try outline["result"]?.decode(DeactivateResult.self) == DeactivateResult(cancelled: ["a"]))
  }
}
