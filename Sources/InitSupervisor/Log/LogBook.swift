internal import DequeModule
internal import InitWire

/// The last output lines of commands, bounded in lines and in bytes; the oldest are dropped first.
struct LogBook {
  private var lines: Deque<LogLineShape> = []
  private var bytes = 0
  /// How many lines have been dropped: the number of the oldest one that is kept.
  private var dropped = 0
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
      dropped += 1
    }
  }

  /// The newest lines that a request asks for, oldest first, as many as fit into a page.
  func page(_ params: LogsParams) -> LogsResult {
    let end = params.before.map { min(max(0, $0.line - dropped), lines.count) } ?? lines.count
    let limit = min(params.before?.limit ?? params.limit, end)
    var found: [LogLineShape] = []
    var room = Page.bytes
    for index in (0..<end).reversed() where found.count < limit {
      let line = lines[index]
      guard params.initializer == nil || line.initializer == params.initializer else { continue }
      room -= Self.bytesInJSON(line)
      guard room >= 0 || found.isEmpty else {
        return LogsResult(
          lines: found.reversed(), before: LogsPosition(line: dropped + index + 1, limit: limit - found.count))
      }
      found.append(line)
    }
    return LogsResult(lines: found.reversed())
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

  /// An upper bound for the bytes of a line in addition to its text and name: member names, three numbers and punctuation.
  private static let membersBytes = 192

  /// An upper bound for the line's bytes in an answer.
  private static func bytesInJSON(_ line: LogLineShape) -> Int {
    membersBytes + line.initializer.utf8.count + line.line.bytesInJSON
  }
}
