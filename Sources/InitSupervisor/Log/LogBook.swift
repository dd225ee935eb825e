internal import DequeModule
internal import InitWire

/// The last output lines of commands, bounded in lines and in bytes; the oldest are dropped first.
struct LogBook {
  private var lines: Deque<LogLineShape> = []
  private var bytes = 0
  private let lineLimit: Int
  private let byteLimit: Int

  init(lineLimit: Int, byteLimit: Int) {
    self.lineLimit = lineLimit
    self.byteLimit = byteLimit
  }

  mutating func append(_ line: LogLineShape) {
    lines.append(line)
    bytes += line.line.utf8.count
    while lines.count > lineLimit || bytes > byteLimit, let oldest = lines.popFirst() {
      bytes -= oldest.line.utf8.count
    }
  }

  /// The last lines, of one initializer or of all, oldest first: at most `limit`, and as many as fit into one answer.
  func last(_ limit: Int, of initializer: String?) -> [LogLineShape] {
    var found: [LogLineShape] = []
    var left = Frame.largestPayload - Self.envelopeBytes
    for line in lines.reversed() where initializer == nil || line.initializer == initializer {
      left -= Self.bytesInJSON(line)
      guard found.count < limit, left >= 0 else { break }
      found.append(line)
    }
    return found.reversed()
  }

  /// The last `limit` lines of one run, oldest first.
  ///
  /// - Parameter start: when the run started; earlier lines aren't searched.
  func last(_ limit: Int, of initializer: String, run: Int, since start: Double) -> [LogLineShape] {
    var found: [LogLineShape] = []
    for line in lines.reversed() {
      guard found.count < limit, line.time >= start else { break }
      if line.run == run, line.initializer == initializer { found.append(line) }
    }
    return found.reversed()
  }

  /// An upper bound for the bytes of an answer around its lines.
  private static let envelopeBytes = 1024
  /// An upper bound for the bytes of a line in addition to its text and name: member names, three numbers and punctuation.
  private static let membersBytes = 192

  /// An upper bound for the line's bytes in an answer: a control character takes six bytes in JSON.
  private static func bytesInJSON(_ line: LogLineShape) -> Int {
    line.line.utf8.reduce(membersBytes + line.initializer.utf8.count) { bytes, byte in
      switch byte {
      case 0..<0x20: bytes + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes + 2
      default: bytes + 1
      }
    }
  }
}
