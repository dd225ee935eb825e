import InitJSON
import InitModel
import Testing

@testable import InitWire

struct RequestDecodeTests {
  @Test("the methods are those of protocol §4")
  func methods() {
    #expect(
      Request.Method.allCases.map(\.rawValue) == [
        "hello", "ping", "status", "launch", "activate", "release", "deactivate", "subscribe", "unsubscribe", "wait",
        "register", "unregister", "logs", "history", "rerun", "cancelRun", "reload", "shutdown", "coordinate",
        "manage",
      ])
  }

  @Test(
    "an unknown request is −32601, regardless of its params (protocol §2)",
    arguments: [
      "", "Status", "status ", "run", "cancel", "progress", "event", "claim", "complete", "unclaim", "renew", "revoke",
      "rpc.discover", "stat\u{301}us",
    ])
  func unknown(method: String) {
    for params in [nil, "{}", "[]", "null"] {
      let error = #expect(throws: WireError.self) { try decode(method, params) }
      #expect(error?.code == -32601)
    }
    let error = #expect(throws: WireError.self) { try SupervisorRequest.decode(method: "status", params: nil) }
    #expect(error?.code == -32601)
  }

  @Test("params that aren't an object are −32602, for every method (protocol §2)", arguments: Request.Method.allCases)
  func noObject(method: Request.Method) {
    for params in ["[]", "null", "1", "\"a\"", "true", "[{}]"] {
      #expect(refusal(method.rawValue, params) == "params: must be an object")
    }
  }

  @Test(
    "methods without params ignore given ones",
    arguments: [
      ("status", Request.status), ("launch", .launch), ("release", .release), ("unsubscribe", .unsubscribe),
      ("shutdown", .shutdown),
    ])
  func noParams(method: String, request: Request) throws {
    #expect(try decode(method) == request)
    #expect(try decode(method, "{}") == request)
    #expect(try decode(method, #"{"anything":[1,2]}"#) == request)
  }

  @Test("ping keeps its params byte by byte, and has {} without params (protocol §4)")
  func ping() throws {
    let text = #"{ "a" : [1.0, 1e400, "\u0041/é"],"b":{} }"#
    #expect(try decode("ping", text) == .ping(try json(text)))
    #expect(try decode("ping") == .ping(.emptyObject))
    guard case .ping(let params) = try decode("ping", text) else { return }
    let frame = try Message.answer(id: 1, result: params)
    #expect(frame.dropFirst(4).elementsEqual(bytes(#"{"jsonrpc":"2.0","id":1,"result":\#(text)}"#)))
  }

  @Test("unknown notifications are ignored, even those with a request's name (protocol §2)")
  func unknownNotification() throws {
    for method in ["status", "shutdown", "hello", "run", "x", ""] {
      #expect(try Notification.decode(method: method, params: nil) == nil)
      #expect(try Notification.decode(method: method, params: try json("[]")) == nil)
    }
  }

  @Test("an event that can't be read names its member")
  func badEvent() throws {
    let error = #expect(throws: WireError.self) {
      try Notification.decode(method: "event", params: try json(#"{"topic":"pass","pass":1,"phase":"active"}"#))
    }
    #expect(error?.message == "params.status: must be given")
  }
}
