/// Splits a stream of bytes into frames, however the bytes are divided into reads.
///
/// The owner takes frames with `next(in:)` until it returns nil, and only then reads more bytes. Bytes of an incomplete frame are
/// kept. If the owner stops earlier, it appends the bytes that are left, and continues with `next()`.
///
/// 1. A length is checked when its frame is next, with the limit at that moment: the higher limit after hello applies to the next frame,
///    even if both came in one read.
/// 2. A frame is refused at its first or fourth byte, before its payload arrives.
/// 3. Memory grows with the received bytes, never with an announced length. It is at most twice as large as they are, and not larger than the
///    frame.
/// 4. Each byte is copied a bounded number of times: time is linear in the bytes.
/// 5. A fault is final: `next()` keeps throwing it, and further bytes are dropped.
package struct FrameDecoder: Sendable {
  /// The maximum payload in bytes; a change applies from the next frame on.
  package var limit: Int
  /// The received bytes; the bytes before `start` have been taken.
  private var bytes: [UInt8] = []
  private var start = 0
  private var fault: FrameFault?

  /// A larger payload isn't copied if it is the last one in the buffer.
  private static let copiedBytes = 64 * 1024

  /// Creates a decoder at the beginning of a stream.
  ///
  /// - Parameter limit: the maximum payload in bytes.
  package init(limit: Int = Frame.largestPayloadBeforeHello) {
    self.limit = limit
  }

  /// Whether the next frame is incomplete; the owner gives it a deadline (30 s, protocol §1).
  ///
  /// This is false if only complete frames haven't been taken, and after a fault.
  package var isMidFrame: Bool {
    fault == nil && start < bytes.count && (try? nextPayload()) == nil
  }

  /// How many received bytes haven't been taken as frames.
  package var bufferedBytes: Int { bytes.count - start }

  /// How much memory the buffer takes, in bytes.
  package var capacity: Int { bytes.capacity }

  /// Appends received bytes.
  package mutating func append(_ arrived: UnsafeRawBufferPointer) {
    guard fault == nil else { return }
    dropTaken()
    makeRoom(for: arrived.count)
    bytes.append(contentsOf: arrived)
  }

  /// Appends received bytes.
  package mutating func append(_ arrived: some Sequence<UInt8>) {
    guard fault == nil else { return }
    dropTaken()
    bytes.append(contentsOf: arrived)
  }

  /// Takes the payload of the next complete frame, or returns nil if more bytes are needed.
  ///
  /// The payload may consist of kept and of arrived bytes. `arrived` are the received bytes that were neither taken nor kept; afterwards
  /// without the payload, or empty if they are kept now.
  ///
  /// - Throws: `FrameFault` as soon as the received bytes show that the next frame is invalid, and at every later call.
  package mutating func next(in arrived: inout UnsafeRawBufferPointer) throws(FrameFault) -> [UInt8]? {
    if bytes.isEmpty, fault == nil, let range = try? Self.payload(in: arrived, limit: limit) {
      let payload = Array(arrived[range])
      arrived = UnsafeRawBufferPointer(rebasing: arrived[range.upperBound...])
      return payload
    }
    append(arrived)
    arrived = UnsafeRawBufferPointer(start: nil, count: 0)
    return try next()
  }

  /// Returns the payload of the next complete frame of the kept bytes, or nil if more bytes are needed.
  ///
  /// - Throws: `FrameFault`, as `next(in:)` does.
  package mutating func next() throws(FrameFault) -> [UInt8]? {
    if let fault { throw fault }
    do throws(FrameFault) {
      guard let next = try nextPayload() else { return nil }
      let range = start + next.lowerBound..<start + next.upperBound
      if range.upperBound == bytes.count, range.count > Self.copiedBytes { return handOver(from: range.lowerBound) }
      let payload = Array(bytes[range])
      start = range.upperBound
      if start == bytes.count { reset() }
      return payload
    } catch {
      fault = error
      reset()
      throw error
    }
  }

  /// Returns the position of the next payload, relative to `start`.
  private func nextPayload() throws(FrameFault) -> Range<Int>? {
    try bytes.withUnsafeBufferPointer { bytes throws(FrameFault) in
      try Self.payload(in: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])), limit: limit)
    }
  }

  /// Returns the range of the first frame's payload, or nil if more bytes are needed.
  private static func payload(in bytes: UnsafeRawBufferPointer, limit: Int) throws(FrameFault) -> Range<Int>? {
    guard let first = bytes.first else { return nil }
    try FrameFault.check(firstByte: first)
    guard bytes.count >= Frame.headerBytes else { return nil }
    let length = Int(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    try FrameFault.check(length: length, limit: limit)
    let end = Frame.headerBytes + length
    return end <= bytes.count ? Frame.headerBytes..<end : nil
  }

  /// Enlarges the buffer as appending would, but no further than to the end of the incomplete frame.
  private mutating func makeRoom(for count: Int) {
    let needed = bytes.count + count
    guard needed > bytes.capacity, bytes.count - start >= Frame.headerBytes else { return }
    let header = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: UInt32.self) }
    let end = start + Frame.headerBytes + Int(UInt32(bigEndian: header))
    if end >= needed { bytes.reserveCapacity(min(end, max(needed, 2 * bytes.capacity))) }
  }

  /// Drops the taken bytes if they are more than half of the buffer, so each byte is moved at most once per taken byte.
  private mutating func dropTaken() {
    guard start > bytes.count / 2 else { return }
    bytes.removeFirst(start)
    start = 0
  }

  /// Returns the buffer itself as the payload of a large frame, which is its last.
  private mutating func handOver(from payloadStart: Int) -> [UInt8] {
    defer {
      bytes = []
      start = 0
    }
    bytes.removeFirst(payloadStart)
    return bytes
  }

  /// Frees the buffer: most connections are idle.
  private mutating func reset() {
    bytes = []
    start = 0
  }
}
