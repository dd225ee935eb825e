import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

/// The bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Returns a value from its JSON text.
func json(_ text: String) throws -> RawJSON { try RawJSON(checking: bytes(text)) }

/// The text without whitespace and with the members of each object sorted: equal for equivalent texts.
func canonical(_ value: RawJSON) -> String {
  switch value.kind {
  case .object:
    let members = value.values.map { "\"\($0.key)\":" + canonical($0) }
    return "{" + members.sorted().joined(separator: ",") + "}"
  case .array:
    return "[" + value.values.map(canonical).joined(separator: ",") + "]"
  case .string:
    return "\"\(value.string ?? "")\""
  case .number, .boolean, .null:
    return String(decoding: value.bytes, as: UTF8.self)
  }
}

/// The text of `canonical(_:)` for a text.
func canonical(_ text: String) throws -> String { canonical(try json(text)) }

/// The payload of a frame, in the form of `canonical(_:)`.
func canonical(frame: [UInt8]) throws -> String {
  var decoder = FrameDecoder(limit: Frame.largestPayload)
  decoder.append(frame)
  let payload = try #require(try decoder.next())
  #expect(decoder.bufferedBytes == 0)
  return canonical(try RawJSON(checking: payload))
}

/// Reads a shape from the documented text, expects the value, and expects that writing it gives the same text.
func expectRoundTrip<Written: Shape>(
  _ text: String, _ shape: Written, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  #expect(try json(text).read() == shape, sourceLocation: sourceLocation)
  let written = try RawJSON(checking: try shape.json())
  #expect(canonical(written) == (try canonical(text)), sourceLocation: sourceLocation)
}

/// Reads params of a request.
func decode<Sent: Request>(_: Sent.Type = Sent.self, _ params: String? = nil) throws(WireError) -> Sent {
  try Sent(params: params.map { try! json($0) })
}

/// The answer to a request with invalid params.
func refusal(
  _ request: any Request.Type, _ params: String, sourceLocation: SourceLocation = #_sourceLocation
) -> String? {
  do {
    let request = try decode(request, params)
    Issue.record("taken: \(request)", sourceLocation: sourceLocation)
    return nil
  } catch {
    #expect(error.code == -32602, sourceLocation: sourceLocation)
    #expect(error.detail == nil, sourceLocation: sourceLocation)
    return error.message
  }
}

extension Status {
  /// The smallest possible Status.
  static let smallest = Status(
    seq: 0, time: 1, instance: "i", pid: 1, uptime: 0, lifecycle: .inactive, launch: Status.State(.pending),
    active: Status.State(.pending), composite: Status.State(.pending), holds: 0, concurrency: 1, initializers: [],
    workers: [])
}
