package import InitJSON
internal import InitModel

/// Encodes messages, each as one complete frame (protocol §1, §2).
///
/// The envelope is written here, and its contents by the shapes of this module. An event is encoded once for all of its subscribers.
package enum Message {
  /// Why a message can't be encoded.
  package enum Fault: Error, Sendable, Equatable {
    /// The receiver would refuse the frame.
    case frame(FrameFault)
    /// A value can't be expressed in JSON: a number that is infinite or not a number.
    case unencodable(String)
  }

  // MARK: Requests

  /// Encodes a request.
  ///
  /// `limit` is the receiver's maximum payload in bytes; that of a supervisor is `limits.frameBytes` of its answer to hello, and
  /// `Frame.largestPayloadBeforeHello` before that. Throws `Fault` if the message can't be encoded or would be refused.
  package static func request<Sent: Request>(
    id: RequestID, _ request: Sent, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    try frame(limit: limit) { writer throws(ShapeFault) in
      writer.id(id)
      writer.member("method", Sent.method)
      guard Sent.hasParams else { return }
      writer.key("params")
      try request.write(to: &writer)
    }
  }

  // MARK: Notifications

  /// Encodes a notification.
  ///
  /// `limit` is the receiver's maximum payload in bytes. Throws `Fault` if the message can't be encoded or would be refused.
  package static func notification<Sent: Notification>(
    _ notification: Sent, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    try frame(limit: limit) { writer throws(ShapeFault) in
      writer.member("method", Sent.method)
      writer.key("params")
      try notification.write(to: &writer)
    }
  }

  // MARK: Answers

  /// Encodes the answer to a successful request.
  ///
  /// `count` is the approximate size of the answer in bytes, if it is large. `limit` is the receiver's maximum payload in bytes. Throws
  /// `Fault` if the message can't be encoded or would be refused.
  package static func answer(
    id: RequestID, result: some JSONValue, reserving count: Int = 0, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    try answer(id: id, "result", result, reserving: count, limit: limit)
  }

  /// Encodes the answer to a failed request or, with id null, to an invalid message.
  ///
  /// `limit` is the receiver's maximum payload in bytes. Throws `Fault` if the message can't be encoded or would be refused.
  package static func answer(
    id: RequestID?, error: WireError, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    try answer(id: id, "error", error, limit: limit)
  }

  // MARK: With an encoded Status

  /// Encodes the answer to `status`, or to `subscribe`, in which the Status is the `snapshot`.
  ///
  /// - Throws: `Fault` if the message would be refused.
  package static func answer(
    id: RequestID, status: StatusText, isSnapshot: Bool = false
  ) throws(Fault) -> FrameParts {
    try frame(with: status) { writer, status in
      writer.id(id)
      writer.key("result")
      guard isSnapshot else { return status(&writer) }
      writer.object { result in
        result.key("snapshot")
        status(&result)
      }
    }
  }

  /// Encodes the answer to a `wait` that has timed out, with the Status of that moment in its `data`.
  ///
  /// - Throws: `Fault` if the message can't be encoded or would be refused.
  package static func timedOut(id: RequestID, _ message: String, status: StatusText) throws(Fault) -> FrameParts {
    try frame(with: status) { writer, status in
      writer.id(id)
      writer.key("error")
      writer.object { error in
        error.key("code")
        error.integer(ErrorCode.timeout.rawValue)
        error.member("message", message)
        error.key("data")
        error.object { data in
          data.member("code", "timeout")
          data.key("status")
          status(&data)
        }
      }
    }
  }

  /// Encodes the event `snapshot`: the current Status, for a subscriber that had fallen behind.
  ///
  /// - Throws: `Fault` if the message would be refused.
  package static func snapshot(_ status: StatusText) throws(Fault) -> FrameParts {
    try frame(with: status) { writer, status in
      writer.member("method", Status.Event.method)
      writer.key("params")
      writer.object { params in
        params.member("topic", "snapshot")
        params.key("snapshot")
        status(&params)
      }
    }
  }

  // MARK: The envelope

  private static func answer(
    id: RequestID?, _ member: StaticString, _ value: some JSONValue, reserving count: Int = 0, limit: Int
  ) throws(Fault) -> [UInt8] {
    try frame(reserving: count, limit: limit) { writer throws(ShapeFault) in
      writer.id(id)
      writer.key(member)
      try value.write(to: &writer)
    }
  }

  /// Encodes a frame with the members that `body` writes.
  ///
  /// One of the members is the Status: `body` gets the function that writes it.
  private static func frame(
    with status: StatusText, _ body: (inout JSONWriter, (inout JSONWriter) -> Void) -> Void
  ) throws(Fault) -> FrameParts {
    var writer = JSONWriter(head: Frame.header, reserving: 256 + status.moment.count)
    var gap = 0
    writer.message { writer in
      body(&writer) { writer in
        writer.raw(status.moment[...])
        gap = writer.count
      }
    }
    do throws(FrameFault) {
      let frame = try writer.finishFrame(limit: Frame.largestPayload, omitting: status.state.count)
      return FrameParts(head: Array(frame[..<gap]), common: status.state, tail: Array(frame[gap...]))
    } catch {
      throw .frame(error)
    }
  }

  /// Encodes a frame with the members that `body` writes.
  private static func frame(
    reserving count: Int = 0, limit: Int = Frame.largestPayload,
    _ body: (inout JSONWriter) throws(ShapeFault) -> Void
  ) throws(Fault) -> [UInt8] {
    var writer = JSONWriter(head: Frame.header, reserving: 128 + count)
    do throws(ShapeFault) {
      try writer.message(body)
    } catch {
      throw .unencodable("\(error.path.drop { $0 == "." }): \(error.reason)")
    }
    do throws(FrameFault) {
      return try writer.finishFrame(limit: limit)
    } catch {
      throw .frame(error)
    }
  }
}

extension JSONWriter {
  /// Writes the object of a message; `body` writes the members after `jsonrpc`.
  fileprivate mutating func message<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try object { writer throws(Failure) in
      writer.key("jsonrpc")
      writer.plain("\"2.0\"")
      try body(&writer)
    }
  }

  /// Writes the member `id` after `jsonrpc`: null if there is none.
  fileprivate mutating func id(_ id: RequestID?) {
    key("id")
    switch id {
    case .number(let number): integer(Int(number))
    case .string(let string): self.string(string)
    case nil: plain("null")
    }
  }

  fileprivate mutating func member(_ name: StaticString, _ text: String) {
    key(name)
    string(text)
  }
}

extension Message.Fault: CustomStringConvertible {
  /// Why the message can't be sent.
  package var description: String {
    switch self {
    case .frame(let fault): "cannot send the message: \(fault)"
    case .unencodable(let reason): "cannot send the message: \(reason)"
    }
  }
}
