/// Encodes messages, each as one complete frame (protocol §1, §2).
///
/// The envelope is written here, and its contents by the shapes of this module. An event is encoded once for all of its subscribers.
public enum Message {
  /// Why a message can't be encoded.
  public enum Fault: Error, Sendable, Equatable {
    /// The receiver would refuse the frame.
    case frame(FrameFault)
    /// A value can't be expressed in JSON: a number that is infinite or not a number.
    case unencodable(String)
  }

  // MARK: Requests

  /// A client's request.
  ///
  /// - Parameter limit: the supervisor's maximum payload in bytes: `limits.frameBytes` of its answer to hello, and
  ///   `Frame.largestPayloadBeforeHello` before that.
  /// - Throws: `Fault` if the message can't be encoded or would be refused.
  public static func request(
    id: RequestID, _ request: Request, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    try call(id: id, method: request.method.rawValue, params: try request.encodedParams(), limit: limit)
  }

  /// The supervisor's request to a worker.
  ///
  /// - Throws: `Fault` if the message can't be encoded.
  public static func request(id: RequestID, _ request: WorkerRequest) throws(Fault) -> [UInt8] {
    switch request {
    case .run(let params):
      try call(id: id, method: "run", params: try encode(params), limit: Frame.largestPayload)
    }
  }

  // MARK: Notifications

  /// A notification.
  ///
  /// - Parameter limit: the receiver's maximum payload in bytes.
  /// - Throws: `Fault` if the message can't be encoded or would be refused.
  public static func notification(
    _ notification: Notification, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    switch notification {
    case .progress(let params): try call(id: nil, method: "progress", params: try encode(params), limit: limit)
    case .cancel(let params): try call(id: nil, method: "cancel", params: try encode(params), limit: limit)
    case .event(let params): try call(id: nil, method: "event", params: try encode(params), limit: limit)
    }
  }

  // MARK: Answers

  /// The answer to a successful request.
  ///
  /// - Parameter limit: the receiver's maximum payload in bytes.
  /// - Throws: `Fault` if the message can't be encoded or would be refused.
  package static func answer(
    id: RequestID, result: some Shape, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    try answer(id: id, member: ",\"result\":", text: try encode(result), limit: limit)
  }

  /// The answer to a successful request, with a result that is already JSON, as for `ping`.
  ///
  /// - Parameter limit: the receiver's maximum payload in bytes.
  /// - Throws: `Fault` if the message would be refused.
  public static func answer(
    id: RequestID, result: RawJSON, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    try answer(id: id, member: ",\"result\":", text: result.bytes, limit: limit)
  }

  /// The answer to a failed request or, with id null, to an invalid message.
  ///
  /// - Parameter limit: the receiver's maximum payload in bytes.
  /// - Throws: `Fault` if the message can't be encoded or would be refused.
  public static func answer(
    id: RequestID?, error: WireError, limit: Int = Frame.largestPayload
  ) throws(Fault) -> [UInt8] {
    try answer(id: id, member: ",\"error\":", text: try encode(error), limit: limit)
  }

  // MARK: With an encoded Status

  /// The answer to `status`, or to `subscribe`, in which the Status is the `snapshot`.
  ///
  /// - Throws: `Fault` if the message would be refused.
  public static func answer(
    id: RequestID, status: StatusText, isSnapshot: Bool = false
  ) throws(Fault) -> [UInt8] {
    let text = isSnapshot ? Array("{\"snapshot\":".utf8) + status.bytes + Array("}".utf8) : status.bytes
    return try answer(id: id, member: ",\"result\":", text: text, limit: Frame.largestPayload)
  }

  /// The answer to a `wait` that has timed out, with the Status of that moment in its `data`.
  ///
  /// - Throws: `Fault` if the message can't be encoded or would be refused.
  public static func timedOut(id: RequestID, _ message: String, status: StatusText) throws(Fault) -> [UInt8] {
    let head = "{\"code\":\(ErrorCode.timeout.rawValue),\"message\":"
    let text =
      try Array(head.utf8) + encode(message) + Array(",\"data\":{\"code\":\"timeout\",\"status\":".utf8)
      + status.bytes + Array("}}".utf8)
    return try answer(id: id, member: ",\"error\":", text: text, limit: Frame.largestPayload)
  }

  /// The event `snapshot`: what is, for a subscriber that had fallen behind.
  ///
  /// - Throws: `Fault` where the message would be refused.
  public static func snapshot(_ status: StatusText) throws(Fault) -> [UInt8] {
    let params = Array("{\"topic\":\"snapshot\",\"snapshot\":".utf8) + status.bytes + Array("}".utf8)
    return try call(id: nil, method: "event", params: params, limit: Frame.largestPayload)
  }

  // MARK: The envelope

  private static func call(
    id: RequestID?, method: String, params: [UInt8]?, limit: Int
  ) throws(Fault) -> [UInt8] {
    var frame = FrameWriter(reserving: 128 + (params?.count ?? 0))
    frame.append("{\"jsonrpc\":\"2.0\"")
    if let id {
      frame.append(",\"id\":")
      frame.append(try text(id))
    }
    frame.append(",\"method\":\"")
    frame.append(method.utf8)
    frame.append("\"")
    if let params {
      frame.append(",\"params\":")
      frame.append(params)
    }
    frame.append("}")
    return try finish(frame, limit: limit)
  }

  private static func answer(
    id: RequestID?, member: StaticString, text result: some Collection<UInt8>, limit: Int
  ) throws(Fault) -> [UInt8] {
    var frame = FrameWriter(reserving: 128 + result.count)
    frame.append("{\"jsonrpc\":\"2.0\",\"id\":")
    if let id { frame.append(try text(id)) } else { frame.append("null") }
    frame.append(member)
    frame.append(result)
    frame.append("}")
    return try finish(frame, limit: limit)
  }

  private static func text(_ id: RequestID) throws(Fault) -> [UInt8] {
    switch id {
    case .number(let number): Array(String(number).utf8)
    case .string(let string): try encode(string)
    }
  }

  private static func finish(_ frame: consuming FrameWriter, limit: Int) throws(Fault) -> [UInt8] {
    do throws(FrameFault) {
      return try frame.finish(limit: limit)
    } catch {
      throw .frame(error)
    }
  }

  // MARK: Shapes

  /// The JSON text of a shape.
  ///
  /// - Throws: `Fault.unencodable` for a number that is infinite or none.
  static func encode(_ shape: some JSONValue) throws(Fault) -> [UInt8] {
    do throws(ShapeFault) {
      return try shape.json()
    } catch {
      throw .unencodable("\(error.path.drop { $0 == "." }): \(error.reason)")
    }
  }

  /// The JSON text of a value of any `Encodable` type, e.g. of a user's.
  ///
  /// - Throws: `Fault.unencodable` for a number that is infinite or none, and for what the value's own encoding throws.
  static func encoded(_ value: some Encodable) throws(Fault) -> [UInt8] {
    do {
      return try JSONWriter.text(encoding: value)
    } catch let error as EncodingError {
      guard case .invalidValue(let value, let context) = error else { throw .unencodable("\(error)") }
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw .unencodable("\(path): \(value) can't be written as JSON")
    } catch {
      throw .unencodable("\(error)")
    }
  }
}

extension Request {
  /// The params' JSON text; nil for a request that takes none.
  fileprivate func encodedParams() throws(Message.Fault) -> [UInt8]? {
    switch self {
    case .hello(let params): try Message.encode(params)
    case .ping(let params): Array(params.bytes)
    case .status, .launch, .release, .unsubscribe, .shutdown: nil
    case .activate(let params): try Message.encode(params)
    case .deactivate(let params): try Message.encode(params)
    case .subscribe(let params): try Message.encode(params)
    case .wait(let params): try Message.encode(params)
    case .register(let params): try Message.encode(params)
    case .unregister(let params): try Message.encode(params)
    case .logs(let params): try Message.encode(params)
    case .history(let params): try Message.encode(params)
    }
  }
}

extension Message.Fault: CustomStringConvertible {
  /// Why the message can't be sent.
  public var description: String {
    switch self {
    case .frame(let fault): "cannot send the message: \(fault)"
    case .unencodable(let reason): "cannot send the message: \(reason)"
    }
  }
}
