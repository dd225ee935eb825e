internal import InitJSON
internal import InitModel
internal import InitWire

/// A client's request with its handler.
///
/// Each request of `clientRequests` has one; the handlers are in this folder.
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

  /// Answers it.
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
  let handle: @Sendable (RawJSON?, RequestID, Session, Requests) throws(WireError) -> Void

  init<Sent: HandledRequest>(_: Sent.Type) {
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
  /// The handlers by method.
  static let handlers: [String: RequestHandler] = Dictionary(
    uniqueKeysWithValues: clientRequests.map { type in
      guard let handled = type as? any HandledRequest.Type else { preconditionFailure("\(type) has no handler") }
      return (type.method, RequestHandler(handled))
    })
}
