import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

/// Every request of a client, with its members given and left out.
private let everyRequest: [any ClientRequest] = [
  HelloRequest(client: HelloRequest.Program(name: "initctl", version: "0.1.0")), PingRequest(), StatusRequest(),
  LaunchRequest(),
  ActivateRequest(hold: true), ReleaseRequest(), DeactivateRequest(wait: true),
  SubscribeRequest(topics: [.log, .pass]), UnsubscribeRequest(), WaitRequest(),
  WaitRequest(for: .launch),
  WaitRequest(for: .active, timeout: 1.5), WaitRequest(for: .composite),
  WaitRequest(for: .initializer("a"), appear: true), WaitRequest(for: .pass(3)),
  RegisterRequest(initializers: [
    RegisterRequest.Registration(
      name: "favorites", priority: .appActive, dependencies: ["events"], timeout: 2.5,
      retry: RegisterRequest.Retry(attempts: 3),
      perProcess: true, optional: true, description: "a/b"), RegisterRequest.Registration(name: "b"),
  ]), UnregisterRequest(names: ["a"]), LogsRequest(initializer: "a", limit: 5),
  LogsRequest(), LogsRequest(failed: true, pass: 3),
  HistoryRequest(limit: 3), RerunRequest(initializers: ["a"], withDependents: true),
  CancelRunRequest(initializers: ["a"]), EnvironmentRequest(name: "a"), ShutdownRequest(), CoordinateRequest(),
  ManageRequest(), StopRequest(names: ["a", "b"]), StartRequest(names: ["a"]), RestartRequest(names: ["a"]),
  ReloadRequest(), ReloadRequest(dryRun: true, withDependents: true),
]

struct MessageTests {
  /// Reads a frame back.
  private func envelope(_ frame: [UInt8]) throws -> Envelope {
    var decoder = FrameDecoder(limit: Frame.largestPayload)
    decoder.append(frame)
    return Envelope(payload: try #require(try decoder.next()))
  }

  @Test("every request that a client writes, a supervisor reads", arguments: everyRequest)
  func requests(request: any ClientRequest) throws {
    func check<Sent: ClientRequest>(_ request: Sent) throws {
      let message = try envelope(Message.request(id: 7, request))
      guard case .request(7, Sent.method, let params) = message else {
        Issue.record("\(message)")
        return
      }
      #expect(try Sent(params: params) == request)
    }
    try check(request)
  }

  @Test("every method is among the requests")
  func everyMethod() {
    #expect(Set(everyRequest.map { type(of: $0).method }) == Set(clientRequests.map { $0.method }))
  }

  @Test("the documented messages are written as documented (protocol §2, §6)")
  func page() throws {
    #expect(
      try canonical(frame: Message.request(id: 1, everyRequest[0]))
        == canonical(
          #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":{"name":"initctl","version":"0.1.0"}}}"#
        ))
    #expect(
      try canonical(frame: Message.request(id: 2, StatusRequest()))
        == canonical(#"{"jsonrpc":"2.0","id":2,"method":"status"}"#)
    )
    #expect(
      try canonical(
        frame: Message.request(
          id: "run-7",
          RunRequest(run: 7, initializer: "favorites", pass: 1, phase: .launch, attempt: 1, timeout: 30)))
        == canonical(
          #"{"jsonrpc":"2.0","id":"run-7","method":"run","params":{"run":7,"initializer":"favorites","pass":1,"phase":"launch","attempt":1,"timeout":30}}"#
        ))
    #expect(
      try canonical(frame: Message.notification(CancelNotification(run: 7, reason: .deactivated)))
        == canonical(#"{"jsonrpc":"2.0","method":"cancel","params":{"run":7,"reason":"deactivated"}}"#))
    #expect(
      try canonical(
        frame: Message.notification(
          ProgressNotification(run: 7, fraction: 0.5, message: "half of the shelves", extend: 30)))
        == canonical(
          #"{"jsonrpc":"2.0","method":"progress","params":{"run":7,"fraction":0.5,"message":"half of the shelves","extend":30}}"#
        ))
    #expect(
      try canonical(frame: Message.answer(id: "run-7", result: EmptyResult()))
        == canonical(#"{"jsonrpc":"2.0","id":"run-7","result":{}}"#))
    #expect(
      try canonical(frame: Message.answer(id: "run-7", error: WireError(code: 1, message: "HTTP 503")))
        == canonical(#"{"jsonrpc":"2.0","id":"run-7","error":{"code":1,"message":"HTTP 503"}}"#))
    #expect(
      try canonical(frame: Message.answer(id: nil, error: WireError(.parseError, "m")))
        == canonical(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#))
  }

  @Test("an event is read back as it was written")
  func event() throws {
    let event = Status.Event(seq: 1, time: 2.5, body: .initializer(EventTests.initializer))
    guard case .notification(let method, let params) = try envelope(Message.notification(event)) else {
      Issue.record("no notification")
      return
    }
    #expect(method == Status.Event.method)
    #expect(try Status.Event(params: params) == event)
  }

  @Test(
    "any id is read back unchanged",
    arguments: [
      .number(.min), .number(.max), "", "\"\\/\u{0}\u{1F}\u{7F}é\u{2028}😀",
    ] as [RequestID])
  func ids(id: RequestID) throws {
    guard case .response(let read, _) = try envelope(Message.answer(id: id, result: EmptyResult())) else {
      Issue.record("no response")
      return
    }
    #expect(read == id)
  }

  @Test("slashes aren't escaped")
  func slashes() throws {
    let frame = try Message.answer(id: "a/b", result: RegisterRequest.Result(registered: ["c/d"]))
    #expect(
      String(decoding: frame.dropFirst(4), as: UTF8.self)
        == #"{"jsonrpc":"2.0","id":"a/b","result":{"registered":["c/d"]}}"#)
  }

  @Test("a message that the receiver would refuse isn't written")
  func limit() {
    #expect(throws: Message.Fault.frame(.tooLong(length: 42, limit: 41))) {
      try Message.request(id: 1, StatusRequest(), limit: 41)
    }
    #expect(throws: Never.self) { try Message.request(id: 1, StatusRequest(), limit: 42) }
  }

  @Test("a number that JSON can't express is a typed error")
  func unencodable() {
    let event = Status.Event(seq: 1, time: .infinity, body: .shutdown)
    #expect(throws: Message.Fault.unencodable("time: inf can't be written as JSON")) {
      try Message.notification(event)
    }
    let nan = ProgressNotification(run: 1, fraction: .nan)
    #expect(throws: Message.Fault.self) { try Message.notification(nan) }
  }

  @Test("a fault says why the message can't be sent")
  func words() {
    #expect(
      Message.Fault.frame(.tooLong(length: 42, limit: 41)).description
        == "cannot send the message: invalid frame: its length is 42 bytes; the maximum is 41")
    #expect(
      Message.Fault.unencodable("time: inf can't be written as JSON").description
        == "cannot send the message: time: inf can't be written as JSON"
    )
  }
}
