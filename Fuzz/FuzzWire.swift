import FoundationEssentials
internal import InitJSON
internal import InitModel
internal import InitText
internal import InitWords

/// Gives the fuzzer's bytes to all code that reads bytes of a peer. For any bytes:
/// 1. The parsers don't crash, and don't read beyond the bytes.
/// 2. As a stream, the bytes give the same frames and the same fault, regardless of how they are split.
/// 3. As a payload, `StrictJSON` and the slow reference agree. Foundation's decoder accepts every text that they accept, with the same
///    members.
/// 4. A message, a result or an output that was read can be written and read back.
/// 5. As text for people, the bytes contain no character after escaping that could affect a terminal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWire(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  checkFrames(bytes)
  checkPayload(bytes)
  return 0
}

// MARK: Frames

private struct Reading: Equatable {
  var frames: [[UInt8]] = []
  var fault: FrameFault?
  var bufferedBytes = 0
}

private func read(_ pieces: [ArraySlice<UInt8>]) -> Reading {
  var decoder = FrameDecoder(limit: 200)
  var reading = Reading()
  for piece in pieces {
    piece.withUnsafeBytes { decoder.append($0) }
    do throws(FrameFault) {
      while true {
        let isMidFrame = decoder.isMidFrame
        let next = try decoder.next()
        demand(
          isMidFrame == (next == nil && decoder.bufferedBytes > 0),
          "a whole frame is taken for a part, or a part for a whole one")
        guard let frame = next else { break }
        reading.frames.append(frame)
        // As after hello, the next frame may be longer, even if it came in the same piece.
        decoder.limit += 100
      }
    } catch {
      reading.fault = error
    }
  }
  reading.bufferedBytes = decoder.bufferedBytes
  return reading
}

private func checkFrames(_ bytes: [UInt8]) {
  let whole = read([bytes[...]])
  let single = read(bytes.indices.map { bytes[$0...$0] })
  demand(single == whole, "single bytes give other frames")
  // The bytes themselves determine how they are split.
  var pieces: [ArraySlice<UInt8>] = []
  var rest = bytes[...]
  while let first = rest.first {
    pieces.append(rest.prefix(Int(first) % 23))
    rest = rest.dropFirst(max(1, Int(first) % 23))
    if first % 23 == 0 { pieces[pieces.count - 1] = bytes[rest.startIndex - 1..<rest.startIndex] }
  }
  demand(read(pieces) == whole, "another split gives other frames")
  let written = whole.frames.flatMap { try! Frame.encode($0) }
  demand(bytes.starts(with: written), "the frames differ from the stream")
  demand(whole.fault != nil || whole.bufferedBytes == bytes.count - written.count, "bytes were lost")
  for frame in whole.frames { checkPayload(frame) }
}

// MARK: Payloads

private func checkPayload(_ payload: [UInt8]) {
  let isStrict = (try? RawJSON(object: payload)) != nil
  demand(isStrict == ReferenceJSON.accepts(payload), "the reference disagrees")
  if isStrict { checkMembers(payload) }
  checkEnvelope(payload, isStrict: isStrict)
  checkOutput(payload)
  checkText(String(decoding: payload, as: UTF8.self))
}

private func checkText(_ text: String) {
  let escaped = TerminalText.escape(text)
  for scalar in escaped.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: fatalError("U+\(String(scalar.value, radix: 16)) comes through")
    case .format: demand(scalar.properties.isJoinControl, "U+\(String(scalar.value, radix: 16)) comes through")
    default: break
    }
  }
  demand(TerminalText.escape(escaped).utf8.elementsEqual(escaped.utf8), "escaped text is escaped again")
}

/// Checks an output: it is valid if it can be passed on, and it is unchanged in a worker's answer and in a dependent's inputs.
private func checkOutput(_ text: [UInt8]) {
  let isOutput = ReferenceJSON.accepts(value: text, deepest: 29)
  guard let output = try? RunOutput(text, isSecret: text.count % 2 == 0) else {
    demand(!isOutput, "an output is refused")
    return
  }
  demand(isOutput, "this output can't be passed on")
  let size = output.value.bytes.count
  demand((try? RunOutput(text, limit: size)) != nil, "an output of \(size) bytes isn't taken where so many may be")
  demand((try? RunOutput(text, limit: size - 1)) == nil, "an output of \(size) bytes is taken where that is too many")

  guard case .response(1, .result(let result)) = envelope(try! Message.answer(id: 1, result: output.result)) else {
    fatalError("an output is written as something else")
  }
  demand((try? RunOutput(result: result)) == output, "an output changed in an answer")
  let params = RunRequest(
    run: 1, initializer: "a", pass: 1, phase: .launch, attempt: 1, inputs: ["b": output.value, "b-c": output.value])
  guard case .request(2, RunRequest.method, let written) = envelope(try! Message.request(id: 2, params)) else {
    fatalError("inputs are written as something else")
  }
  demand(try! RunRequest(params: written) == params, "inputs changed after writing and reading")
}

/// Any JSON value, as a decoder reads it.
private enum Anything: Decodable, Equatable {
  case null
  case boolean(Bool)
  case number(Double)
  case string([UInt8])
  case array([Anything])
  case object([String: Anything])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(Array(string.utf8))
    } else if let array = try? value.decode([Anything].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: Anything].self))
    }
  }

  /// Reads the same value with this module.
  ///
  /// Nil for a number that is out of range: Foundation then refuses the whole text.
  init?(_ json: RawJSON) {
    switch json.kind {
    case .null: self = .null
    case .boolean: self = .boolean(json.boolean!)
    case .number:
      guard let number = json.number else { return nil }
      self = .number(number)
    case .string: self = .string(Array(json.string!.utf8))
    case .array:
      var elements: [Anything] = []
      for value in json.values {
        guard let element = Anything(value) else { return nil }
        elements.append(element)
      }
      self = .array(elements)
    case .object:
      var members: [String: Anything] = [:]
      for value in json.values {
        guard let member = Anything(value) else { return nil }
        // `String` treats canonically equivalent keys as equal, and it isn't specified which of them a dictionary keeps.
        guard members.updateValue(member, forKey: value.key) == nil else { return nil }
      }
      self = .object(members)
    }
  }
}

/// A value that isn't read.
private struct Ignored: Decodable {
  init(from decoder: any Decoder) {}
}

private func checkMembers(_ payload: [UInt8]) {
  let object = try! RawJSON(object: payload)
  // Both readers give the same result at every depth: ours member by member, and with Decodable.
  if let ours = Anything(object) {
    demand((try? object.decode(Anything.self)) == ours, "our decoder reads another value")
    // Foundation refuses some numbers, e.g. 0e9, but accepts them in members that aren't read.
    if let theirs = try? JSONDecoder().decode(Anything.self, from: Data(payload)) {
      demand(ours == theirs, "Foundation's decoder reads another value")
    } else {
      demand(
        (try? JSONDecoder().decode([String: Ignored].self, from: Data(payload))) != nil,
        "Foundation refuses what is strict")
    }
  }
  checkValues(object)
}

/// Checks that each value is at its position in the tree, and is the same value on its own.
private func checkValues(_ value: RawJSON) {
  for member in value.values {
    let again = try! RawJSON(checking: Array(member.bytes))
    demand(again == member && again.kind == member.kind, "a member isn't a value on its own")
    demand(value.kind != .object || value[member.key] != nil, "a member isn't found by its name")
    if member.kind == .number, let integer = member.integer {
      demand(Int64(String(decoding: member.bytes, as: UTF8.self)) == integer, "an integer differs")
    }
    checkValues(member)
  }
}

/// Reads a frame's payload in every way.
private func envelope(_ frame: [UInt8]) -> Envelope { Envelope(payload: Array(frame.dropFirst(Frame.headerBytes))) }

private func checkEnvelope(_ payload: [UInt8], isStrict: Bool) {
  switch Envelope(payload: payload) {
  case .request(let id, let method, let params):
    checkRequest(id, method, params)
    let answer = try! Message.answer(id: id, result: params ?? .emptyObject)
    demand(
      envelope(answer) == .response(id: id, outcome: .result(params ?? .emptyObject)), "an answer is written as another"
    )
  case .notification(let method, let params): checkNotification(method, params)
  case .response(let id, .error(let error)):
    let answer = try! Message.answer(id: id, error: error)
    demand(envelope(answer) == .response(id: id, outcome: .error(error)), "an error changed after writing and reading")
  case .response(_, .result(let result)):
    check(result, as: EmptyResult.self)
    check(result, as: HelloRequest.Result.self)
    check(result, as: Status.self)
    check(result, as: LaunchRequest.Result.self)
    check(result, as: ActivateRequest.Result.self)
    check(result, as: DeactivateRequest.Result.self)
    check(result, as: SubscribeRequest.Result.self)
    check(result, as: Status.State.self)
    check(result, as: RegisterRequest.Result.self)
    check(result, as: LogsRequest.Result.self)
    check(result, as: HistoryRequest.Result.self)
    _ = try? RunOutput(result: result)
  case .invalid(let id, let error):
    demand(isStrict == (error.code == -32600), "the wrong code")
    demand(isStrict || id == nil, "an invalid id was read")
  }
}

private func checkRequest(_ id: RequestID, _ method: String, _ params: RawJSON?) {
  for request in clientRequests as [any Request.Type] + supervisorRequests where request.method == method {
    check(request, id, params)
  }
}

private func check<Sent: Request>(_: Sent.Type, _ id: RequestID, _ params: RawJSON?) {
  guard let request = try? Sent(params: params) else { return }
  guard case .request(id, Sent.method, let again) = envelope(try! Message.request(id: id, request)) else {
    fatalError("a request is written as something else")
  }
  demand(try! Sent(params: again) == request, "a request changed after writing and reading")
  checkMembers(of: request, params, again)
  if let run = request as? RunRequest { checkVariables(run.inputs) }
}

/// Checks that each input has two variables of its own, unless two inputs share one; every name is valid in a shell.
private func checkVariables(_ inputs: [String: RawJSON]) {
  let variables = InputVariables(inputs)
  let names = variables.variables.map(\.name)
  let isClear = InputVariableName.clash(in: inputs.keys.sorted()) == nil
  demand(isClear == (Set(names).count == names.count), "a shared variable isn't reported")
  demand(names.count == 2 * inputs.count && names == names.sorted(), "an input is lost, or they aren't sorted")
  for name in names {
    let isPlain = name.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || $0 == UInt8(ascii: "_") }
    demand(isPlain && name.hasPrefix(InputVariableName.prefix), "a variable named \(name)")
  }
}

private func checkNotification(_ method: String, _ params: RawJSON?) {
  for notification in notifications where notification.method == method { check(notification, params) }
}

private func check<Sent: InitWire.Notification>(_: Sent.Type, _ params: RawJSON?) {
  guard let notification = try? Sent(params: params) else { return }
  if let cancel = notification as? CancelNotification, cancel.reason == nil { return }
  if let event = notification as? Status.Event, case .log = event.body, event.time == nil { return }
  guard case .notification(Sent.method, let again) = envelope(try! Message.notification(notification)) else {
    fatalError("a notification is written as something else")
  }
  demand(try! Sent(params: again) == notification, "a notification changed after writing and reading")
  checkMembers(of: notification, params, again)
}

/// Checks that reading ignored no member that the message may have.
///
/// A member that is false may be left out.
private func checkMembers(of message: Any, _ params: RawJSON?, _ again: RawJSON?) {
  for case (let name?, _) in Mirror(reflecting: message).children {
    guard let value = params?[name], value.kind != .null, value.boolean != false else { continue }
    demand(again?[name] != nil, "\(name) is ignored")
  }
}

/// Checks that a result with a valid shape is unchanged after it is written and read.
private func check<Read: Shape>(_ result: RawJSON, as type: Read.Type) {
  guard let shape = try? result.read(type) else { return }
  guard case .response(1, .result(let again)) = envelope(try! Message.answer(id: 1, result: shape)) else {
    fatalError("a result is written as something else")
  }
  demand((try? again.read(type)) == shape, "a \(type) changed after writing and reading")
}
