import FoundationEssentials

/// Gives the fuzzer's bytes to everything that reads bytes of a peer. Whatever they are:
/// 1. Nothing crashes, and nothing reads beyond them.
/// 2. Taken as a stream, they give the same frames and the same fault, however they are cut.
/// 3. Taken as a payload, `StrictJSON` and the slow reference agree; what they take, Foundation's decoder takes as well,
///    and gives the same members.
/// 4. What was read as a message is read again after it was written.
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
  var isMidFrame = false
}

private func read(_ pieces: [ArraySlice<UInt8>]) -> Reading {
  var decoder = FrameDecoder(limit: 300)
  var reading = Reading()
  for piece in pieces {
    piece.withUnsafeBytes { decoder.append($0) }
    do throws(FrameFault) {
      while let frame = try decoder.next() { reading.frames.append(frame) }
    } catch {
      reading.fault = error
    }
  }
  reading.isMidFrame = decoder.isMidFrame
  return reading
}

private func checkFrames(_ bytes: [UInt8]) {
  let whole = read([bytes[...]])
  let single = read(bytes.indices.map { bytes[$0...$0] })
  demand(single == whole, "byte by byte gives other frames")
  // The bytes themselves say how to cut them.
  var pieces: [ArraySlice<UInt8>] = []
  var rest = bytes[...]
  while let first = rest.first {
    pieces.append(rest.prefix(Int(first) % 23))
    rest = rest.dropFirst(max(1, Int(first) % 23))
    if first % 23 == 0 { pieces[pieces.count - 1] = bytes[rest.startIndex - 1..<rest.startIndex] }
  }
  demand(read(pieces) == whole, "cut otherwise gives other frames")
  let written = whole.frames.flatMap { try! Frame.encode($0) }
  demand(bytes.starts(with: written), "the frames aren't the stream's")
  demand(whole.fault != nil || whole.isMidFrame == (written.count < bytes.count), "bytes were lost")
  for frame in whole.frames { checkPayload(frame) }
}

// MARK: Payloads

private func checkPayload(_ payload: [UInt8]) {
  let isStrict = (try? StrictJSON.check(message: payload)) != nil
  demand(isStrict == ReferenceJSON.accepts(payload), "the reference disagrees")
  if isStrict { checkMembers(payload) }
  checkEnvelope(payload, isStrict: isStrict)
  _ = TerminalText.escape(String(decoding: payload, as: UTF8.self))
}

private struct TopLevel: Decodable {
  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  let keys: Set<String>

  init(from decoder: any Decoder) throws {
    keys = Set(try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue))
  }
}

private func checkMembers(_ payload: [UInt8]) {
  let outline = try! StrictJSON.outline(message: payload)
  let keys = outline.children.map {
    String(decoding: StrictJSON.unescape(payload, $0.key), as: UTF8.self)
  }
  let decoded: TopLevel
  do {
    decoded = try JSONDecoder().decode(TopLevel.self, from: Data(payload))
  } catch {
    fatalError("the decoder refuses what is strict: \(error)")
  }
  // A Set of String takes canonically equivalent keys for one, on both sides.
  demand(decoded.keys == Set(keys), "the decoder finds other members")
  for child in outline.children {
    let value = RawJSON(unchecked: payload, range: child.range, kind: child.kind)
    let again = try! RawJSON(checking: Array(value.bytes))
    demand(again == value && again.kind == value.kind, "a member isn't a value by itself")
    let text = String(decoding: value.bytes, as: UTF8.self)
    switch child.kind {
    case .string:
      let string = try! JSONDecoder().decode(String.self, from: Data(value.bytes))
      demand(string.utf8.elementsEqual(value.string!.utf8), "the decoder reads another string")
    case .number:
      demand(value.integer == nil || Int64(text) == value.integer, "an integer is another")
    case .object, .array, .boolean, .null:
      break
    }
  }
}

private func checkEnvelope(_ payload: [UInt8], isStrict: Bool) {
  let envelope = Envelope(payload: payload)
  let frame: [UInt8]
  switch envelope {
  case .request(let id, let method, let params):
    if let request = try? Request.decode(method: method, params: params) {
      let written = Envelope(payload: Array(try! Message.request(id: id, request).dropFirst(Frame.headerBytes)))
      guard case .request(let idAgain, let methodAgain, let paramsAgain) = written else {
        fatalError("a request is written as something else")
      }
      let again = try! Request.decode(method: methodAgain, params: paramsAgain)
      demand(idAgain == id && again == request, "a request is written as another")
    }
    _ = try? WorkerRequest.decode(method: method, params: params)
    frame = try! Message.answer(id: id, result: params ?? .emptyObject)
    demand(
      Envelope(payload: Array(frame.dropFirst(Frame.headerBytes)))
        == .response(id: id, outcome: .result(params ?? .emptyObject)), "an answer is written as another")
  case .notification(let method, let params):
    guard let notification = try? Notification.decode(method: method, params: params) else { return }
    if case .cancel(let cancel) = notification, cancel.reason == nil { return }
    if case .event(let event) = notification, case .log = event.body, event.time == nil { return }
    frame = try! Message.notification(notification)
    guard
      case .notification(let methodAgain, let paramsAgain) = Envelope(
        payload: Array(frame.dropFirst(Frame.headerBytes)))
    else { fatalError("a notification is written as something else") }
    demand(
      try! Notification.decode(method: methodAgain, params: paramsAgain) == notification,
      "a notification is written as another")
  case .response(let id, .error(let error)):
    frame = try! Message.answer(id: id, error: error)
    demand(
      Envelope(payload: Array(frame.dropFirst(Frame.headerBytes))) == .response(id: id, outcome: .error(error)),
      "an error is written as another")
  case .response(_, .result(let result)):
    _ = try? result.decode(StatusShape.self)
    _ = try? result.decode(HistoryResult.self)
    _ = try? result.decode(LogsResult.self)
  case .invalid(let id, let error):
    demand(isStrict == (error.code == -32600), "the wrong code")
    demand(isStrict || id == nil, "an id that nobody can have read")
  }
}
