import Testing

@testable import InitWire

struct RawJSONDecodeTests {
  @Test(
    "a value that doesn't fit a shape is reported with its path",
    arguments: [
      (#"{"lines":[{"time":1,"initializer":"a","run":1,"stream":"stdout"}]}"#, ".lines[0].line"),
      (#"{"lines":[{"time":1,"initializer":"a","run":"x","stream":"stdout","line":""}]}"#, ".lines[0].run"),
      (#"{"lines":[{"time":1,"initializer":"a","run":1,"stream":3,"line":""}]}"#, ".lines[0].stream"),
      (#"{"lines":null}"#, ".lines"), ("[]", ""),
    ])
  func path(text: String, path: String) throws {
    let fault = #expect(throws: ShapeFault.self) { try json(text).read(LogsResult.self) }
    #expect(fault?.path == path)
    #expect(fault?.reason.isEmpty == false)
  }

  @Test(
    "the expected type is reported in JSON's terms",
    arguments: [
      (#"{"lines":5}"#, "must be an array"), (#"{"lines":["x"]}"#, "must be an object"),
      (#"{"lines":[{"time":"x","initializer":"a","run":1,"stream":"stdout","line":""}]}"#, "must be a number"),
      (#"{"lines":[{"time":1,"initializer":5,"run":1,"stream":"stdout","line":""}]}"#, "must be a string"),
      (#"{"lines":[{"time":1,"initializer":"a","run":"x","stream":"stdout","line":""}]}"#, "must be an integer"),
      (#"{"lines":null}"#, "must be an array"), ("{}", "must be given"),
    ])
  func words(text: String, reason: String) throws {
    let fault = #expect(throws: ShapeFault.self) { try json(text).read(LogsResult.self) }
    #expect(fault?.reason == reason)
  }

  @Test("a value is decoded from its own part of the message")
  func part() throws {
    let message = try RawJSON(message: bytes(#"{"id":1,"result":{"cancelled":["a"]}}"#))
    #expect(try message["result"]?.read(DeactivateResult.self) == DeactivateResult(cancelled: ["a"]))
  }
}
