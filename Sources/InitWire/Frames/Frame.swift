internal import InitJSON

/// One frame of the stream (protocol §1): a 4-byte unsigned big-endian length N, then N bytes of payload.
///
/// ```
///    0   1   2   3   4                3 + N
///  +---+---+---+---+---+--- … ---+---+
///  | 0 |  length N |  payload: JSON  |
///  +---+---+---+---+---+--- … ---+---+
/// ```
///
/// Every limit is below 16 MiB, so the first byte of every frame is 0. A peer that speaks HTTP, TLS or text is detected by its first byte.
package enum Frame {
  /// The size of the length, in bytes.
  package static let headerBytes = 4
  /// The space for the length.
  static let header: StaticString = "\0\0\0\0"
  /// The maximum payload in bytes of any frame that a client accepts from the supervisor (protocol §1).
  package static let largestPayload = 0xFF_FFFF
  /// The maximum payload in bytes that the supervisor accepts from a client before hello (protocol §1).
  package static let largestPayloadBeforeHello = 4 * 1024

  /// Creates a frame with a payload.
  ///
  /// `payload` is the text of one message. `limit` is the receiver's maximum payload in bytes. Throws `FrameFault.empty` or `.tooLong` if
  /// the receiver would refuse the frame.
  package static func encode(_ payload: [UInt8], limit: Int = largestPayload) throws(FrameFault) -> [UInt8] {
    var writer = JSONWriter(head: header, reserving: payload.count)
    writer.raw(payload[...])
    return try writer.finishFrame(limit: limit)
  }
}

extension JSONWriter {
  /// Completes a frame with its length, and hands it over; the text must begin with `Frame.header`.
  ///
  /// `omitted` is the size of a part of the payload that isn't in the text. Throws `FrameFault.empty` or `.tooLong`.
  mutating func finishFrame(limit: Int, omitting omitted: Int = 0) throws(FrameFault) -> [UInt8] {
    let length = count - Frame.headerBytes + omitted
    try FrameFault.check(length: length, limit: limit)
    withBytes { $0.storeBytes(of: UInt32(length).bigEndian, as: UInt32.self) }
    return take()
  }
}
