/// Reads the status of an HTTP answer from its bytes, as they arrive: a value.
///
/// Interim answers (1xx) are skipped. The rest of the answer isn't read.
package struct StatusLine: Hashable, Sendable {
  /// The parts of the answer that are known so far.
  package enum Reading: Hashable, Sendable {
    /// More bytes are needed.
    case more
    case status(Int)
    /// The bytes aren't an HTTP answer.
    case invalid
  }

  /// How many bytes may precede the status.
  package static let maximumBytes = 16 * 1024
  /// `HTTP/1.1 200`, as kinds of bytes: themselves, or any digit.
  private static let pattern = Array("HTTP/0.0 000".utf8)

  private var line: [UInt8] = []
  private var count = 0
  /// How many bytes of the end of an interim answer, CR LF CR LF, were read; nil if a status line is read.
  private var skipped: Int?

  package init() {}

  /// Reads further bytes; after another result than `more`, none follow.
  package mutating func read(_ bytes: some Sequence<UInt8>) -> Reading {
    for byte in bytes {
      count += 1
      guard count <= Self.maximumBytes else { return .invalid }
      if let skipped {
        self.skipped = skip(byte, skipped)
      } else {
        let reading = read(byte)
        guard reading == .more else { return reading }
      }
    }
    return .more
  }

  /// Reads a byte of a status line.
  private mutating func read(_ byte: UInt8) -> Reading {
    guard line.count < Self.pattern.count else {
      guard [UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(byte) else { return .invalid }
      let status = line.suffix(3).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      guard status >= 100 else { return .invalid }
      // 101 is a final answer: the protocol is switched.
      guard status < 200, status != 101 else { return .status(status) }
      line = []
      skipped = byte == UInt8(ascii: "\n") ? 1 : 0
      return .more
    }
    let expected = Self.pattern[line.count]
    let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return .invalid }
    line.append(byte)
    return .more
  }

  /// Returns the number of line breaks in a row at the end of the skipped bytes, nil after an empty line.
  private func skip(_ byte: UInt8, _ breaks: Int) -> Int? {
    switch byte {
    case UInt8(ascii: "\n"): breaks == 1 ? nil : 1
    case UInt8(ascii: "\r"): breaks
    default: 0
    }
  }
}
