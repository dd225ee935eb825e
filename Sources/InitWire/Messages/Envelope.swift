package import InitJSON

/// The kind of a message, decided before its params or result are decoded (protocol §2).
///
/// The rules, in this order, follow the protocol and JSON-RPC 2.0:
/// 1. The payload isn't a strict JSON object: −32700 with id null.
/// 2. The `id` is neither a 64-bit integer nor a string of at most 64 bytes: −32600 with id null, because there is no valid id. One
/// exception: an *error* with id null is the JSON-RPC answer to an unreadable message, so it is a response. If it were answered, two peers
/// could answer each other indefinitely.
/// 3. `jsonrpc` is missing or isn't the string `2.0`: −32600 with the id, or null if there is none.
/// 4. With `method`, it is a request, or a notification if it has no `id`; members of responses are ignored. A method that isn't a string:
/// −32600.
/// 5. Without `method`, it is a response if it has an id and either `result` or `error`. The message is invalid in another way: −32600.
///
/// `params` isn't checked here: each method checks its own, and answers −32602. An `error` with a wrong shape is still an error, with code
/// −32603 and a message that says so, because the run that it answers has ended and must not be waited for.
package enum Envelope: Sendable, Equatable {
  /// A request; it must be answered once, with its id.
  case request(id: RequestID, method: String, params: RawJSON?)
  /// A notification, never answered.
  case notification(method: String, params: RawJSON?)
  /// The answer to a request from here; the id is nil if the peer couldn't read it.
  case response(id: RequestID?, outcome: Outcome)
  /// The payload isn't a message: it must be answered with this error, and this id or null.
  case invalid(id: RequestID?, error: WireError)

  /// The outcome in a response.
  package enum Outcome: Sendable, Equatable {
    /// The result of the request.
    case result(RawJSON)
    /// The error of the request.
    case error(WireError)
  }

  /// Reads a payload.
  ///
  /// An invalid message is `.invalid`, so this doesn't throw.
  package init(payload: [UInt8]) {
    do throws(StrictJSON.Fault) {
      self.init(try RawJSON(object: payload))
    } catch {
      self = .invalid(id: nil, error: WireError(error))
    }
  }

  /// Reads a message.
  init(_ message: RawJSON) {
    var jsonrpc: RawJSON?
    var idMember: RawJSON?
    var method: RawJSON?
    var params: RawJSON?
    var result: RawJSON?
    var error: RawJSON?
    for member in message.values {
      if member.isNamed("id") {
        idMember = member
      } else if member.isNamed("jsonrpc") {
        jsonrpc = member
      } else if member.isNamed("method") {
        method = member
      } else if member.isNamed("params") {
        params = member
      } else if member.isNamed("result") {
        result = member
      } else if member.isNamed("error") {
        error = member
      }
    }
    let id = idMember.flatMap(RequestID.init)
    let isUnreadableAnswer = idMember?.kind == .null && method == nil && result == nil && error != nil

    if idMember != nil, id == nil, !isUnreadableAnswer {
      self = .invalid("id: must be an integer of 64 bits or a string of at most 64 bytes")
      return
    }
    guard jsonrpc?.string == "2.0" else {
      self = .invalid(id: id, "jsonrpc: must be \"2.0\"")
      return
    }
    if let method {
      guard let name = method.string else {
        self = .invalid(id: id, "method: must be a string")
        return
      }
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
  /// Reads the `error` of an answer; an error with a wrong shape becomes −32603 with a message that says so.
  init(answer: RawJSON) {
    do throws(ShapeFault) {
      self = try answer.read(WireError.self)
    } catch {
      self.init(.internalError, "the peer answered with a malformed error: \(error)")
    }
  }
}
