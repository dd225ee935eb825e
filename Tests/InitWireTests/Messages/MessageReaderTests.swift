import InitModel
import Testing

@testable import InitWire

@Suite("MessageReader")
struct MessageReaderTests {
  /// The messages in a stream that arrives in one piece.
  private func read(_ reader: inout MessageReader, _ payloads: [[UInt8]]) throws -> [Envelope] {
    let stream = try payloads.flatMap { try Frame.encode($0) }
    var decoder = FrameDecoder(limit: Frame.largestPayload)
    var messages: [Envelope] = []
    try stream.withUnsafeBytes { stream in
      var arrived = stream
      while let message = try reader.next(of: &decoder, in: &arrived) { messages.append(message) }
      #expect(arrived.isEmpty)
    }
    return messages
  }

  private func ping(_ id: Int, _ text: String) -> [UInt8] {
    bytes(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping","params":{"text":"\#(text)"}}"#)
  }

  @Test("A message that is kept stays as it is, whatever is read after it")
  func kept() throws {
    var reader = MessageReader()
    // Of the same length, shorter, longer, and too long to share memory.
    let payloads = ["one", "two", "", "three and more", String(repeating: "x", count: 5000), "last"].enumerated()
      .map { ping($0.offset, $0.element) }
    let messages = try read(&reader, payloads)
    #expect(messages == payloads.map(Envelope.init(payload:)))
    #expect(messages.count == payloads.count)
  }

  @Test("A message after one that wasn't kept, or was invalid, is read as if it were the first")
  func notKept() throws {
    var reader = MessageReader()
    let bad = [bytes("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":[[[1,2"), bytes("{}"), bytes("[1,2,3]")]
    for payload in bad + [ping(1, "a")] + bad.reversed() + [ping(22, "bb"), ping(3, "")] {
      let messages = try read(&reader, [payload])
      #expect(messages == [Envelope(payload: payload)])
    }
  }

  @Test("A frame in two pieces is read, and a fault of the stream is thrown")
  func pieces() throws {
    var reader = MessageReader()
    var decoder = FrameDecoder()
    let frame = try Frame.encode(ping(1, "a"))
    for (piece, expected) in [(frame[..<9], nil), (frame[9...], Envelope(payload: ping(1, "a")))] {
      let message = try Array(piece).withUnsafeBytes { piece in
        var arrived = piece
        return try reader.next(of: &decoder, in: &arrived)
      }
      #expect(message == expected)
    }
    #expect(throws: FrameFault.foreign(firstByte: 1)) {
      try [UInt8]([1]).withUnsafeBytes { piece in
        var arrived = piece
        _ = try reader.next(of: &decoder, in: &arrived)
      }
    }
  }
}
