import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

/// Every request of a client, with its members given and left out.
private let everyRequest: [Request] = [
  .hello(HelloParams(client: HelloParams.Program(name: "initctl", version: "0.1.0"))), .ping(.emptyObject), .status,
  .launch,
  .activate(ActivateParams(hold: true)), .release, .deactivate(DeactivateParams(wait: true)),
  .subscribe(SubscribeParams(topics: [.log, .pass])), .unsubscribe, .wait(WaitParams()),
  .wait(WaitParams(for: .launch)),
  .wait(WaitParams(for: .active, timeout: 1.5)), .wait(WaitParams(for: .composite)),
  .wait(WaitParams(for: .initializer("a"), appear: true)), .wait(WaitParams(for: .pass(3))),
  .register(
    RegisterParams(initializers: [
      RegisterParams.Registration(
        name: "favorites", priority: .appActive, dependencies: ["events"], timeout: 2.5,
        retry: RegisterParams.Retry(attempts: 3),
        perProcess: true, optional: true, description: "a/b"), RegisterParams.Registration(name: "b"),
    ])), .unregister(UnregisterParams(names: ["a"])), .logs(LogsParams(initializer: "a", limit: 5)),
  .logs(LogsParams()), .logs(LogsParams(failed: true, pass: 3)),
  .history(HistoryParams(limit: 3)), .rerun(RerunParams(initializers: ["a"], withDependents: true)),
  .cancelRun(CancelRunParams(initializers: ["a"])), .shutdown, .coordinate, .manage,
  .reload(ReloadParams()), .reload(ReloadParams(dryRun: true, withDependents: true)),
]

struct MessageTests {
  /// Reads a frame back.
  private func envelope(_ frame: [UInt8]) throws -> Envelope {
    var decoder = FrameDecoder(limit: Frame.largestPayload)
    decoder.append(frame)
    return Envelope(payload: try #require(try decoder.next()))
  }

  @Test("every request that a client writes, a supervisor reads", arguments: everyRequest)
  func requests(request: Request) throws {
    guard case .request(let id, let method, let params) = try envelope(Message.request(id: 7, request)) else {
      Issue.record("no request")
      return
    }
    #expect(id == 7)
    #expect(try Request.decode(method: method, params: params) == request)
  }

  @Test("every method is among the requests")
  func everyMethod() {
    #expect(Set(everyRequest.map(\.method)) == Set(Request.Method.allCases))
  }

  @Test("the documented messages are written as documented (protocol §2, §6)")
  func page() throws {
    #expect(
      try canonical(frame: Message.request(id: 1, everyRequest[0]))
        == canonical(
          #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":{"name":"initctl","version":"0.1.0"}}}"#
        ))
    #expect(
      try canonical(frame: Message.request(id: 2, .status)) == canonical(#"{"jsonrpc":"2.0","id":2,"method":"status"}"#)
    )
    #expect(
      try canonical(
        frame: Message.request(
          id: "run-7",
          .run(RunParams(run: 7, initializer: "favorites", pass: 1, phase: .launch, attempt: 1, timeout: 30))))
        == canonical(
          #"{"jsonrpc":"2.0","id":"run-7","method":"run","params":{"run":7,"initializer":"favorites","pass":1,"phase":"launch","attempt":1,"timeout":30}}"#
        ))
    #expect(
      try canonical(frame: Message.notification(.cancel(CancelParams(run: 7, reason: .deactivated))))
        == canonical(#"{"jsonrpc":"2.0","method":"cancel","params":{"run":7,"reason":"deactivated"}}"#))
    #expect(
      try canonical(
        frame: Message.notification(
          .progress(ProgressParams(run: 7, fraction: 0.5, message: "half of the shelves", extend: 30))))
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
    guard case .notification(let method, let params) = try envelope(Message.notification(.event(event))) else {
      Issue.record("no notification")
      return
    }
    #expect(try Notification.decode(method: method, params: params) == .event(event))
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
    let frame = try Message.answer(id: "a/b", result: RegisterResult(registered: ["c/d"]))
    #expect(
      String(decoding: frame.dropFirst(4), as: UTF8.self)
        == #"{"jsonrpc":"2.0","id":"a/b","result":{"registered":["c/d"]}}"#)
  }

  @Test("a message that the receiver would refuse isn't written")
  func limit() {
    #expect(throws: Message.Fault.frame(.tooLong(length: 42, limit: 41))) {
      try Message.request(id: 1, .status, limit: 41)
    }
    #expect(throws: Never.self) { try Message.request(id: 1, .status, limit: 42) }
  }

  @Test("a number that JSON can't express is a typed error")
  func unencodable() {
    let event = Status.Event(seq: 1, time: .infinity, body: .shutdown)
    #expect(throws: Message.Fault.unencodable("time: inf can't be written as JSON")) {
      try Message.notification(.event(event))
    }
    let nan = ProgressParams(run: 1, fraction: .nan)
    #expect(throws: Message.Fault.self) { try Message.notification(.progress(nan)) }
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
