/// Splits a stream of bytes into frames, however the bytes are divided into reads.
///
/// The owner appends the bytes that it has read, then takes frames with `next()` until it returns nil, and only then reads more.
///
/// 1. A length is checked when its frame is next, with the limit at that moment: the higher limit after hello applies to the next frame,
///    even if both came in one read.
/// 2. A frame is refused at its first or fourth byte, before its payload arrives.
/// 3. Memory grows with the received bytes, never with an announced length.
/// 4. Each byte is copied a bounded number of times: time is linear in the bytes.
/// 5. A fault is final: `next()` keeps throwing it, and further bytes are dropped.
public struct FrameDecoder: Sendable {
  /// The maximum payload in bytes; a change applies from the next frame on.
  public var limit: Int
  /// The received bytes; those before `start` have been taken.
  private var bytes: [UInt8] = []
  private var start = 0
  private var fault: FrameFault?

  /// A payload of more bytes than this isn't copied if it is the last one in the buffer.
  private static let copiedBytes = 64 * 1024

  /// A decoder at the beginning of a stream.
  ///
  /// - Parameter limit: the maximum payload in bytes.
  public init(limit: Int = Frame.largestPayloadBeforeHello) {
    self.limit = limit
  }

  /// Whether the next frame is incomplete; the owner gives it a deadline (30 s, protocol §1).
  ///
  /// This is false for complete frames that haven't been taken, and after a fault.
  public var isMidFrame: Bool {
    guard fault == nil, start < bytes.count else { return false }
    guard let length = announcedLength else { return true }
    return bytes.count - start - Frame.headerBytes < length
  }

  /// How many received bytes haven't been taken as frames.
  public var bufferedBytes: Int { bytes.count - start }

  /// How much memory the buffer takes, in bytes.
  var capacity: Int { bytes.capacity }

  /// Appends received bytes.
  public mutating func append(_ arrived: UnsafeRawBufferPointer) {
    guard fault == nil else { return }
    dropTaken()
    bytes.append(contentsOf: arrived)
  }

  /// Appends received bytes.
  public mutating func append(_ arrived: some Sequence<UInt8>) {
    guard fault == nil else { return }
    dropTaken()
    bytes.append(contentsOf: arrived)
  }

  /// The payload of the next complete frame, or nil if more bytes are needed.
  ///
  /// - Throws: `FrameFault` as soon as the received bytes show that the next frame is invalid, and at every later call.
  public mutating func next() throws(FrameFault) -> [UInt8]? {
    if let fault { throw fault }
    guard start < bytes.count else { return nil }
    do throws(FrameFault) {
      try FrameFault.check(firstByte: bytes[start])
      guard let length = announcedLength else { return nil }
      try FrameFault.check(length: length, limit: limit)
      let payloadStart = start + Frame.headerBytes
      guard bytes.count - payloadStart >= length else { return nil }
      if payloadStart + length == bytes.count, length > Self.copiedBytes { return handOver(from: payloadStart) }
      let payload = Array(bytes[payloadStart..<payloadStart + length])
      start = payloadStart + length
      if start == bytes.count { reset() }
      return payload
    } catch {
      fault = error
      bytes = []
      start = 0
      throw error
    }
  }

  /// The next frame's length, once its four bytes have arrived.
  private var announcedLength: Int? {
    guard bytes.count - start >= Frame.headerBytes else { return nil }
    return bytes[start..<start + Frame.headerBytes].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Drops the taken bytes if they are more than half of the buffer, so that each byte is moved at most once per taken byte.
  private mutating func dropTaken() {
    guard start > bytes.count / 2 else { return }
    bytes.removeFirst(start)
    start = 0
  }

  /// The buffer itself as the payload of a large frame, which is its last.
  private mutating func handOver(from payloadStart: Int) -> [UInt8] {
    defer { (bytes, start) = ([], 0) }
    bytes.removeFirst(payloadStart)
    return bytes
  }

  /// If all bytes have been taken, frees the buffer: most connections are idle.
  private mutating func reset() { (bytes, start) = ([], 0) }
}
