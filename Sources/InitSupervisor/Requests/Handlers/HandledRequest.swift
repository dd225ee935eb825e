internal import InitJSON
internal import InitServer
internal import InitWire

/// A client's request with its handler.
///
/// Each request of `clientRequests` has one, in a file of this folder.
protocol HandledRequest: ClientRequest {
  /// Handles the request, which the client may send: answers it now, or keeps `call` to answer it later.
  ///
  /// - Throws: the error that is the answer.
  func handle(_ call: Call<Self>, _ requests: Requests) throws(WireError)
}

/// A request that must be answered once.
struct Call<Sent: ClientRequest> {
  let id: RequestID
  let session: Session

  func answer(_ result: Sent.Result) { session.out.answer(id, result) }

  /// Answers it once the client has room for an answer that may be large.
  func reply(_ reply: DeferredAnswer) { session.out.reply(reply, to: id) }

  /// Answers it with an error.
  func refuse(_ error: WireError) { session.out.refuse(id, error) }
}

extension Call where Sent.Result == EmptyResult {
  /// Answers it with `{}`.
  func answer() { answer(EmptyResult()) }
}

/// Reads a client's request, checks that the client may send it, and handles it.
struct RequestHandler: Sendable {
  let method: String
  let handle: @Sendable (RawJSON?, RequestID, Session, Requests) throws(WireError) -> Void

  init<Sent: HandledRequest>(_: Sent.Type) {
    method = Sent.method
    handle = { (params, id, session, requests) throws(WireError) in
      let request = try Sent(params: params)
      guard session.roles.allow(Sent.self) else {
        throw session.roles.refusal(of: Sent.self, isReadOnly: session.isReadOnly)
      }
      try request.handle(Call(id: id, session: session), requests)
    }
  }
}

extension Requests {
  /// All requests, each with its handler.
  private static let handled: [any HandledRequest.Type] = [
    HelloRequest.self, PingRequest.self, StatusRequest.self, LaunchRequest.self, ActivateRequest.self,
    ReleaseRequest.self, DeactivateRequest.self, SubscribeRequest.self, UnsubscribeRequest.self, WaitRequest.self,
    RegisterRequest.self, UnregisterRequest.self, LogsRequest.self, HistoryRequest.self, RerunRequest.self,
    CancelRunRequest.self, EnvironmentRequest.self, ReloadRequest.self, ShutdownRequest.self, CoordinateRequest.self,
    ManageRequest.self, StopRequest.self, StartRequest.self, RestartRequest.self,
  ]

  /// The handlers, in the same order.
  private static let handlers = handled.map { RequestHandler($0) }

  /// Returns the handler of a method; nil for an unknown one.
  ///
  /// A list, not a table: for a ping, comparing names takes fewer instructions than hashing one.
  static func handler(of method: String) -> RequestHandler? { handlers.first { $0.method == method } }
}
