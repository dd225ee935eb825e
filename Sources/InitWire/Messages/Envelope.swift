/// What kind of message a payload is, before anybody looks at its params or result (protocol §2).
///
/// The page and JSON-RPC 2.0 decide, in this order:
/// 1. No strict JSON object: −32700 with id null.
/// 2. An `id` that is neither an integer of 64 bits nor a string of at most 64 bytes: −32600 with id null, as there is
///    none to carry. One exception: an *error* with id null is JSON-RPC's answer to what could not be read, so it is
///    a response; to answer it in turn would have two peers answer each other for ever.
/// 3. `jsonrpc` other than the string `2.0`, or missing: −32600 with the id, or null where there is none.
/// 4. With `method`, it is a request, or without `id` a notification; members that don't belong there are unknown ones,
///    and ignored. A method that is no string: −32600.
/// 5. Without `method`, it is a response, if it has an id and one of `result` and `error`; anything else: −32600.
///
/// `params` may be anything here: its judge is the method, whose answer is −32602. An `error` of a wrong shape is an
/// error all the same, with code −32603 and a message that says so: the run that it answers has ended, and must not be
/// waited for.
public enum Envelope: Sendable, Equatable {
  /// A request, to be answered once under its id.
  case request(id: RequestID, method: String, params: RawJSON?)
  /// A notification, never answered.
  case notification(method: String, params: RawJSON?)
  /// The answer to a request of ours; the id is nil where the peer couldn't read it.
  case response(id: RequestID?, outcome: Outcome)
  /// No message: to be answered with this error, under this id or null.
  case invalid(id: RequestID?, error: WireError)

  /// What a response brings.
  public enum Outcome: Sendable, Equatable {
    /// The request was carried out.
    case result(RawJSON)
    /// It wasn't.
    case error(WireError)
  }

  /// Reads a payload. What is no message is `.invalid`: this never fails.
  public init(payload: [UInt8]) {
    do throws(StrictJSON.Fault) {
      self.init(try RawJSON(message: payload))
    } catch {
      self = .invalid(id: nil, error: WireError(error))
    }
  }

  private init(_ message: RawJSON) {
    let idMember = message["id"]
    let id = idMember.flatMap(RequestID.init)
    let result = message["result"]
    let error = message["error"]
    let method = message["method"]
    let isUnreadableAnswer = idMember?.kind == .null && method == nil && result == nil && error != nil

    if idMember != nil, id == nil, !isUnreadableAnswer {
      self = .invalid("id: must be an integer of 64 bits or a string of at most 64 bytes")
      return
    }
    guard message["jsonrpc"]?.string == "2.0" else {
      self = .invalid(id: id, "jsonrpc: must be \"2.0\"")
      return
    }
    if let method {
      guard let name = method.string else {
        self = .invalid(id: id, "method: must be a string")
        return
      }
      let params = message["params"]
      self =
        if let id { .request(id: id, method: name, params: params) } else {
          .notification(method: name, params: params)
        }
      return
    }
    switch (result, error) {
    case (let result?, nil) where id != nil:
      self = .response(id: id, outcome: .result(result))
    case (nil, let error?) where idMember != nil:
      self = .response(id: id, outcome: .error(WireError(answer: error)))
    case (nil, nil):
      self = .invalid(id: id, "method: must be given, or result or error in an answer")
    case (_?, _?):
      self = .invalid(id: id, "result: must not be given with error")
    case (_?, nil), (nil, _?):
      self = .invalid("id: must be given in an answer")
    }
  }

  private static func invalid(id: RequestID? = nil, _ what: String) -> Envelope {
    .invalid(id: id, error: WireError(.invalidRequest, "invalid message: \(what)"))
  }
}

extension WireError {
  /// The `error` of an answer; one of a wrong shape is −32603 with a message that says so.
  init(answer: RawJSON) {
    do throws(ShapeFault) {
      self = try answer.read(WireError.self)
    } catch {
      self.init(.internalError, "the peer answered with a malformed error: \(error)")
    }
  }
}
