import InitJSON
import InitModel
import Testing

@testable import InitWire

struct EnvelopeTests {
  private func envelope(_ text: String) -> Envelope { Envelope(payload: bytes(text)) }

  @Test("a method with an id is a request, and its params are passed on as they are")
  func request() throws {
    #expect(
      envelope(#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a": 1}}"#)
        == .request(id: 1, method: "ping", params: try json(#"{"a": 1}"#)))
    #expect(
      envelope(#"{"method":"status","id":"x","jsonrpc":"2.0"}"#) == .request(id: "x", method: "status", params: nil))
    #expect(
      envelope(#"{"jsonrpc":"2\u002e0","i\u0064":1,"method":"\u0070ing"}"#)
        == .request(id: 1, method: "ping", params: nil))
    for params in ["[]", "null", "1", "\"a\""] {
      #expect(
        envelope(#"{"jsonrpc":"2.0","id":1,"method":"ping","params":\#(params)}"#)
          == .request(id: 1, method: "ping", params: try json(params)), "the method judges its params")
    }
  }

  @Test("a method without an id is a notification (protocol §2)")
  func notification() throws {
    #expect(
      envelope(#"{"jsonrpc":"2.0","method":"progress","params":{}}"#)
        == .notification(method: "progress", params: .emptyObject))
  }

  @Test("unknown members are ignored, even a response's members in a request (protocol §2)")
  func unknownMembers() {
    #expect(
      envelope(#"{"jsonrpc":"2.0","id":1,"method":"status","x":[{}],"result":1,"error":2,"":null}"#)
        == .request(id: 1, method: "status", params: nil))
  }

  @Test("a result or an error with an id is a response")
  func response() throws {
    #expect(
      envelope(#"{"jsonrpc":"2.0","id":"run-7","result":{}}"#) == .response(id: "run-7", outcome: .result(.emptyObject))
    )
    #expect(
      envelope(#"{"jsonrpc":"2.0","id":"run-7","result":null}"#)
        == .response(id: "run-7", outcome: .result(try json("null"))))
    #expect(
      envelope(#"{"jsonrpc":"2.0","id":"run-7","error":{"code":1,"message":"HTTP 503"}}"#)
        == .response(id: "run-7", outcome: .error(WireError(code: 1, message: "HTTP 503"))))
    #expect(
      envelope(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#)
        == .response(id: nil, outcome: .error(WireError(.parseError, "m"))),
      "an error with id null is never answered, or two peers would answer each other indefinitely")
  }

  @Test(
    "an error with a wrong shape is still an error, because the run that it answers has ended",
    arguments: [
      "1", "null", "\"x\"", "[]", "{}", #"{"code":"x","message":"m"}"#, #"{"code":1.5,"message":"m"}"#, #"{"code":1}"#,
      #"{"code":99999999999999999999,"message":"m"}"#,
    ])
  func malformedError(error: String) throws {
    guard
      case .response("run-7", .error(let error)) = envelope(#"{"jsonrpc":"2.0","id":"run-7","error":\#(error)}"#)
    else {
      Issue.record("no response")
      return
    }
    #expect(error.knownCode == .internalError)
    #expect(error.message.hasPrefix("the peer answered with a malformed error"))
  }

  @Test(
    "a payload that isn't a strict JSON object is −32700 with id null (protocol §1)",
    arguments: [
      "", "x", "[]", "1", #"{"jsonrpc":"2.0","id":1,"method":"status",}"#,
      #"{"jsonrpc":"2.0","id":1,"id":2,"method":"status"}"#,
      "\u{FEFF}{}", #"{"jsonrpc":"2.0","id":1,"method":"\uD800"}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"status","x":"# + String(repeating: "[", count: 32)
        + String(repeating: "]", count: 32) + "}",
      #"[{"jsonrpc":"2.0","id":1,"method":"status"}]"#,
    ])
  func parseError(text: String) throws {
    guard case .invalid(let id, let error) = envelope(text) else {
      Issue.record("taken")
      return
    }
    #expect(id == nil)
    #expect(error.code == -32700)
    #expect(error.message.hasPrefix("cannot read the JSON: "))
    #expect(
      try canonical(frame: Message.answer(id: id, error: error))
        == #"{"error":{"code":-32700,"message":"\#(error.message)"},"id":null,"jsonrpc":"2.0"}"#)
  }

  @Test(
    "an invalid id is −32600 with id null, even if there are other faults (protocol §2)",
    arguments: [
      "null", "1.0", "1e2", "9223372036854775808", "true", "[]", "{}", "\"\(String(repeating: "a", count: 65))\"",
    ])
  func badID(id: String) throws {
    let bad = Envelope.invalid(
      id: nil,
      error: WireError(
        .invalidRequest, "invalid message: id: must be an integer of 64 bits or a string of at most 64 bytes"))
    #expect(envelope(#"{"jsonrpc":"2.0","id":\#(id),"method":"status"}"#) == bad)
    #expect(envelope(#"{"jsonrpc":"1.0","id":\#(id),"method":5}"#) == bad)
    #expect(envelope(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#) == bad)
    if id != "null" { #expect(envelope(#"{"jsonrpc":"2.0","id":\#(id),"error":{}}"#) == bad) }
  }

  @Test(
    "every other −32600 has the id, or null if there is none (protocol §2)",
    arguments: [
      (#"{"id":7}"#, 7, "jsonrpc: must be \"2.0\""), (#"{}"#, nil, "jsonrpc: must be \"2.0\""),
      (#"{"id":7,"method":"status"}"#, 7, "jsonrpc: must be \"2.0\""),
      (#"{"jsonrpc":2.0,"id":7,"method":"status"}"#, 7, "jsonrpc: must be \"2.0\""),
      (#"{"jsonrpc":"2","id":"x","method":"status"}"#, "x", "jsonrpc: must be \"2.0\""),
      (#"{"jsonrpc":null,"method":"status"}"#, nil, "jsonrpc: must be \"2.0\""),
      (#"{"jsonrpc":"1.0","id":7,"result":{}}"#, 7, "jsonrpc: must be \"2.0\""),
      (#"{"jsonrpc":"2.0","id":7,"method":1}"#, 7, "method: must be a string"),
      (#"{"jsonrpc":"2.0","id":7,"method":null,"result":{}}"#, 7, "method: must be a string"),
      (#"{"jsonrpc":"2.0","method":["a"]}"#, nil, "method: must be a string"),
      (#"{"jsonrpc":"2.0","id":7}"#, 7, "method: must be given, or result or error in an answer"),
      (#"{"jsonrpc":"2.0"}"#, nil, "method: must be given, or result or error in an answer"),
      (#"{"jsonrpc":"2.0","id":7,"params":{}}"#, 7, "method: must be given, or result or error in an answer"),
      (#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#, 7, "result: must not be given with error"),
      (#"{"jsonrpc":"2.0","result":{}}"#, nil, "id: must be given in an answer"),
      (#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#, nil, "id: must be given in an answer"),
    ] as [(String, RequestID?, String)])
  func invalidRequest(text: String, id: RequestID?, what: String) {
    #expect(
      envelope(text) == .invalid(id: id, error: WireError(.invalidRequest, "invalid message: \(what)")))
  }
}
