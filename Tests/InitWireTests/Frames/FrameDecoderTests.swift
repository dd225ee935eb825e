import InitModel
import Testing

@testable import InitWire

struct FrameDecoderTests {
  /// A session of a worker, as the bytes that the supervisor reads.
  static let session: (stream: [UInt8], payloads: [[UInt8]]) = {
    let payloads = [
      #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":{"name":"w","version":"1"}}}"#,
      #"{"jsonrpc":"2.0","id":2,"method":"register","params":{"initializers":[{"name":"é\u0301/ß"}]}}"#,
      "x",
      #"{"jsonrpc":"2.0","method":"progress","params":{"run":7,"fraction":0.5,"message":"half 🐦"}}"#,
      #"{"jsonrpc":"2.0","id":"run-7","result":{}}"#,
    ].map(bytes)
    return (payloads.flatMap { try! Frame.encode($0) }, payloads)
  }()

  /// Feeds pieces, taking all frames after each.
  private func frames(of pieces: [ArraySlice<UInt8>], limit: Int = 4096) throws -> [[UInt8]] {
    var decoder = FrameDecoder(limit: limit)
    var frames: [[UInt8]] = []
    for piece in pieces {
      decoder.append(piece)
      while let frame = try decoder.next() { frames.append(frame) }
    }
    #expect(!decoder.isMidFrame)
    #expect(decoder.bufferedBytes == 0)
    return frames
  }

  @Test("a session split in two at every offset gives the same messages")
  func cutInTwo() throws {
    let (stream, payloads) = Self.session
    for cut in 0...stream.count {
      #expect(try frames(of: [stream[..<cut], stream[cut...]]) == payloads)
    }
  }

  @Test("a session split into pieces of every size gives the same messages", arguments: 1...40)
  func cutInPieces(size: Int) throws {
    let (stream, payloads) = Self.session
    let pieces = stride(from: 0, to: stream.count, by: size).map { stream[$0..<min($0 + size, stream.count)] }
    #expect(try frames(of: pieces) == payloads)
  }

  @Test("a large frame is the same alone, behind other frames, and before them", arguments: [65_536, 65_537, 300_000])
  func large(size: Int) throws {
    let large = [UInt8](repeating: UInt8(ascii: "{"), count: size)
    let (stream, payloads) = Self.session
    let frame = try Frame.encode(large)
    for cut in [1, 4, 5, size / 2, size + 3, size + 4] {
      let pieces = [stream + frame[..<cut], frame[cut...] + stream, frame[..<cut], frame[cut...], stream[...]]
      let expected = payloads + [large] + payloads + [large] + payloads
      #expect(try frames(of: pieces.map { $0[...] }, limit: 1 << 20) == expected)
    }
  }

  @Test("complete frames are kept until they are taken, even if more bytes arrive")
  func untaken() throws {
    let (stream, payloads) = Self.session
    var decoder = FrameDecoder()
    for _ in 0..<50 { decoder.append(stream) }
    var count = 0
    while let frame = try decoder.next() {
      #expect(frame == payloads[count % payloads.count])
      count += 1
      if count % 3 == 0 { decoder.append([UInt8]()) }
    }
    #expect(count == 50 * payloads.count)
  }

  @Test(
    "a session in pieces of every size gives the same messages from the read buffer, whether it is read to its end or not",
    arguments: 1...40)
  func fromReadBuffer(size: Int) throws {
    let (stream, payloads) = Self.session
    for perRead in [1, 2, Int.max] {
      var decoder = FrameDecoder()
      var frames: [[UInt8]] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        try Array(stream[start..<min(start + size, stream.count)]).withUnsafeBytes { piece in
          var arrived = piece
          var taken = 0
          while taken < perRead, let payload = try decoder.next(in: &arrived) {
            frames.append(payload)
            taken += 1
          }
          decoder.append(arrived)
        }
      }
      while let frame = try decoder.next() { frames.append(frame) }
      #expect(frames == payloads)
      #expect(decoder.bufferedBytes == 0)
    }
  }

  @Test("a fault in the read buffer is final")
  func faultInReadBuffer() throws {
    let sent = [0, 0, 0, 2] + bytes("{}") + [1]
    var decoder = FrameDecoder()
    let first = try sent.withUnsafeBytes { piece in
      var arrived = piece
      let first = try decoder.next(in: &arrived)
      #expect(throws: FrameFault.foreign(firstByte: 1)) { try decoder.next(in: &arrived) }
      return first
    }
    #expect(first == bytes("{}"))
    #expect(throws: FrameFault.foreign(firstByte: 1)) { try decoder.next() }
  }

  @Test("bytes can be appended directly from a read buffer")
  func rawBytes() throws {
    var decoder = FrameDecoder()
    Self.session.stream.withUnsafeBytes { decoder.append($0) }
    #expect(try decoder.next() == Self.session.payloads[0])
  }

  @Test("the buffer takes at most twice the received bytes, and not more than the frame, whatever length is announced")
  func capacity() throws {
    let frame = try Frame.encode([UInt8](repeating: 0x20, count: 600_000))
    // An allocation may have a page more than is asked for.
    let page = 4096
    var decoder = FrameDecoder(limit: 1 << 20)
    for start in stride(from: 0, to: frame.count - 1, by: 16 * 1024) {
      frame[start..<min(start + 16 * 1024, frame.count - 1)].withUnsafeBytes { decoder.append($0) }
      #expect(decoder.capacity <= min(2 * decoder.bufferedBytes, frame.count) + page)
    }
    frame.suffix(1).withUnsafeBytes { decoder.append($0) }
    #expect(try decoder.next()?.count == 600_000)
    #expect(decoder.capacity == 0)
  }

  @Test("a length out of range, including 0, is a fault at its fourth byte (protocol §1)")
  func outOfRange() throws {
    for (header, fault) in [
      ([0, 0, 0, 0] as [UInt8], FrameFault.empty),
      ([0, 0, 0x10, 0x01], .tooLong(length: 4097, limit: 4096)),
      ([0, 0xFF, 0xFF, 0xFF], .tooLong(length: 0xFF_FFFF, limit: 4096)),
    ] {
      var decoder = FrameDecoder()
      decoder.append(header.dropLast())
      #expect(try decoder.next() == nil)
      decoder.append(header.suffix(1))
      #expect(throws: fault) { try decoder.next() }
    }
  }

  @Test(
    "a peer that speaks HTTP or TLS is recognised by its first byte (protocol §1)", arguments: [0x47, 0x16, 1, 255])
  func foreign(first: UInt8) {
    var decoder = FrameDecoder(limit: Frame.largestPayload)
    decoder.append([first])
    #expect(throws: FrameFault.foreign(firstByte: first)) { try decoder.next() }
  }

  @Test("after a fault it keeps throwing, and drops further bytes")
  func faultIsFinal() throws {
    var decoder = FrameDecoder()
    decoder.append([0, 0, 0, 2] + bytes("{}") + [0, 0, 0, 0])
    #expect(try decoder.next() == bytes("{}"))
    #expect(throws: FrameFault.empty) { try decoder.next() }
    decoder.append(try Frame.encode(bytes("{}")))
    bytes("{}").withUnsafeBytes { decoder.append($0) }
    #expect(throws: FrameFault.empty) { try decoder.next() }
    try Frame.encode(bytes("{}")).withUnsafeBytes { piece in
      var arrived = piece
      #expect(throws: FrameFault.empty) { try decoder.next(in: &arrived) }
    }
    #expect(decoder.bufferedBytes == 0)
    #expect(!decoder.isMidFrame)
  }

  @Test("a limit that is raised after a frame applies to the next one, even if both came in one read (protocol §1)")
  func raisedLimit() throws {
    let large = [UInt8](repeating: 0x20, count: 5000)
    var decoder = FrameDecoder()
    decoder.append(try Frame.encode(bytes("{}")) + Frame.encode(large))
    #expect(try decoder.next() == bytes("{}"))
    decoder.limit = 1024 * 1024
    #expect(try decoder.next() == large)
  }

  @Test("isMidFrame is true from a frame's first byte to its last but one")
  func midFrame() throws {
    let frame = try Frame.encode(bytes("{ }"))
    var decoder = FrameDecoder()
    #expect(!decoder.isMidFrame)
    for index in frame.indices {
      decoder.append(frame[index...index])
      #expect(decoder.isMidFrame == (index < frame.count - 1))
    }
    decoder.append([0])
    #expect(!decoder.isMidFrame, "a complete frame is next")
    #expect(try decoder.next() == bytes("{ }"))
    #expect(decoder.isMidFrame, "the first byte of one is next")
  }

  @Test("an announced length takes no memory until its bytes arrive (protocol §1)")
  func announcedOnly() throws {
    var decoders = [FrameDecoder](repeating: FrameDecoder(limit: Frame.largestPayload), count: 20_000)
    for index in decoders.indices {
      decoders[index].append([0, 0xFF, 0xFF, 0xFF, 0x7B])
      #expect(try decoders[index].next() == nil)
      #expect(decoders[index].capacity < 1024)
    }
  }

  @Test("the memory of a frame is freed when it has been taken, and nothing follows", arguments: [1, 1_000_000])
  func givesBack(size: Int) throws {
    var decoder = FrameDecoder(limit: Frame.largestPayload)
    decoder.append(try Frame.encode([UInt8](repeating: 0x20, count: size)))
    #expect(try decoder.next()?.count == size)
    #expect(decoder.capacity == 0)
  }

  @Test("if most of a full buffer has been taken, the rest moves to the front before bytes are appended")
  func bounded() throws {
    let frame = try Frame.encode([UInt8](repeating: 0x20, count: 1000))
    var decoder = FrameDecoder()
    decoder.append(frame.prefix(1))
    for _ in 0..<10_000 {
      decoder.append(frame.dropFirst() + frame.prefix(1))
      #expect(try decoder.next() != nil)
      #expect(try decoder.next() == nil)
    }
    #expect(decoder.capacity < 16 * 1024)
  }
}
