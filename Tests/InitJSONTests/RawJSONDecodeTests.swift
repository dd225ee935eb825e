import Testing

@testable import InitJSON

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
    let fault = #expect(throws: ShapeFault.self) { try json(text).read(Lines.self) }
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
    let fault = #expect(throws: ShapeFault.self) { try json(text).read(Lines.self) }
    #expect(fault?.reason == reason)
  }

  @Test("a value is decoded from its own part of the message")
  func part() throws {
    let message = try RawJSON(object: bytes(#"{"id":1,"result":{"lines":[]}}"#))
    #expect(try message["result"]?.read(Lines.self) == Lines())
  }
}

/// The last lines of some runs.
private struct Lines: Shape {
  struct Line: Shape {
    var time = 0.0
    var initializer = ""
    var run = 0
    var stream = ""
    var line = ""

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("time", &time)
      try json.required("initializer", &initializer)
      try json.required("run", &run)
      try json.required("stream", &stream)
      try json.required("line", &line)
    }
  }

  var lines: [Line] = []

  mutating func visit(_ json: inout Members) throws(ShapeFault) { try json.required("lines", &lines) }
}
