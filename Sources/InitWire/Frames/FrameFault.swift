/// The reason why bytes aren't a valid frame.
///
/// After a fault, no byte of the stream can be trusted: the supervisor answers −32700 with id null (`WireError.init(_:)`), and closes the
/// connection.
package enum FrameFault: Error, Sendable, Equatable {
  /// The length is 0.
  case empty
  /// The length, in bytes, is above the limit.
  case tooLong(length: Int, limit: Int)
  /// The first byte isn't 0, so it can't be a frame.
  case foreign(firstByte: UInt8)

  /// Checks a payload's length against a limit, both in bytes.
  static func check(length: Int, limit: Int) throws(FrameFault) {
    if length == 0 { throw .empty }
    if length > min(limit, Frame.largestPayload) { throw .tooLong(length: length, limit: limit) }
  }

  /// Checks a frame's first byte, which arrives before the rest of its length.
  static func check(firstByte: UInt8) throws(FrameFault) {
    if firstByte != 0 { throw .foreign(firstByte: firstByte) }
  }
}

extension FrameFault: CustomStringConvertible {
  /// The error message for an answer.
  package var description: String {
    switch self {
    case .empty:
      "invalid frame: its length is 0; send at least one byte of JSON"
    case .tooLong(let length, let limit):
      "invalid frame: its length is \(length) bytes; the maximum is \(limit)"
    case .foreign(let firstByte):
      "invalid frame: its first byte is \(firstByte) instead of 0; send a 4-byte big-endian length, then JSON"
    }
  }
}
