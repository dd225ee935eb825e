import InitJSON
import InitModel
import Testing

@testable import InitWire

struct RequestDecodeTests {
  @Test("the methods are those of protocol §4")
  func methods() {
    #expect(
      clientRequests.map { $0.method } == [
        "hello", "ping", "status", "launch", "activate", "release", "deactivate", "subscribe", "unsubscribe", "wait",
        "register", "unregister", "logs", "history", "rerun", "cancelRun", "environment", "reload", "shutdown",
        "coordinate",
        "manage", "stop", "start", "restart",
      ])
    let own = supervisorRequests.map { $0.method } + notifications.map { $0.method }
    #expect(Set(own).count == own.count && Set(own).isDisjoint(with: clientRequests.map { $0.method }))
  }

  @Test("params that aren't an object are −32602, for every method (protocol §2)")
  func noObject() {
    for request in clientRequests as [any Request.Type] + supervisorRequests {
      for params in ["[]", "null", "1", "\"a\"", "true", "[{}]"] {
        #expect(refusal(request, params) == "params: must be an object")
      }
    }
  }

  @Test("requests without params are sent without them, and ignore given ones")
  func noParams() throws {
    func check<Sent: Request>(_: Sent.Type) throws {
      let request: Sent = try decode()
      #expect(
        try canonical(frame: Message.request(id: 1, request))
          == canonical(#"{"jsonrpc":"2.0","id":1,"method":"\#(Sent.method)"}"#))
      #expect(try decode(Sent.self, "{}") == request)
      #expect(try decode(Sent.self, #"{"anything":[1,2]}"#) == request)
    }
    try check(StatusRequest.self)
    try check(LaunchRequest.self)
    try check(ReleaseRequest.self)
    try check(UnsubscribeRequest.self)
    try check(ShutdownRequest.self)
    try check(CoordinateRequest.self)
    try check(ManageRequest.self)
  }

  @Test("ping keeps its params byte by byte, and has {} without params (protocol §4)")
  func ping() throws {
    let text = #"{ "a" : [1.0, 1e400, "\u0041/é"],"b":{} }"#
    let ping = try decode(PingRequest.self, text)
    #expect(ping == PingRequest(try json(text)))
    #expect(try decode() == PingRequest())
    let frame = try Message.answer(id: 1, result: ping.params)
    #expect(frame.dropFirst(4).elementsEqual(bytes(#"{"jsonrpc":"2.0","id":1,"result":\#(text)}"#)))
  }

  @Test("an event that can't be read names its member")
  func badEvent() throws {
    let error = #expect(throws: WireError.self) {
      try Status.Event(params: try json(#"{"topic":"pass","pass":1,"phase":"active"}"#))
    }
    #expect(error?.message == "params.status: must be given")
  }
}
