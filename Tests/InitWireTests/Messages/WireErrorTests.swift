import InitJSON
import InitModel
import Testing

@testable import InitWire

struct WireErrorTests {
  @Test("data has the code's name and members (protocol §7)")
  func data() throws {
    try expectRoundTrip(
      #"{"code":-32001,"message":"m","data":{"code":"unsupportedProtocol","supported":[1]}}"#,
      WireError(.unsupportedProtocol, "m", detail: .supported([1])))
    try expectRoundTrip(
      #"{"code":-32007,"message":"m","data":{"code":"limitExceeded","limit":"connections"}}"#,
      WireError(.limitExceeded, "m", detail: .limit("connections")))
    try expectRoundTrip(
      #"{"code":-32006,"message":"m","data":{"code":"shuttingDown"}}"#, WireError(.shuttingDown, "m"))
    let status = String(decoding: try Status.smallest.json(), as: UTF8.self)
    try expectRoundTrip(
      #"{"code":-32003,"message":"m","data":{"code":"timeout","status":\#(status)}}"#,
      WireError(.timeout, "m", detail: .status(.smallest)))
  }

  @Test("JSON-RPC's own codes and a worker's have no data")
  func noData() throws {
    try expectRoundTrip(#"{"code":-32602,"message":"m"}"#, WireError(.invalidParams, "m"))
    try expectRoundTrip(#"{"code":1,"message":"HTTP 503"}"#, WireError(code: 1, message: "HTTP 503"))
  }

  @Test(
    "data with another shape, which JSON-RPC allows, is ignored",
    arguments: [
      "1", "null", "[]", "{}", #"{"supported":"x"}"#, #"{"limit":1,"status":{}}"#,
    ])
  func foreignData(data: String) throws {
    #expect(
      try json(#"{"code":5,"message":"m","data":\#(data)}"#).read(WireError.self) == WireError(code: 5, message: "m"))
  }

  @Test("an unknown method is named, truncated if it is long")
  func methodNotFound() {
    #expect(
      WireError.methodNotFound("stop") == WireError(.methodNotFound, "unknown method \"stop\""))
    let long = WireError.methodNotFound(String(repeating: "\u{301}", count: 100_000))
    #expect(long.message.unicodeScalars.count < 128)
  }
}
