internal import DequeModule
internal import InitWire

/// The last lines that commands wrote, bounded in lines and in bytes; the oldest go first.
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

  /// The last `limit` lines, of one initializer or of all, oldest first.
  func last(_ limit: Int, of initializer: String?) -> [LogLineShape] {
    guard let initializer else { return Array(lines.suffix(limit)) }
    var found: [LogLineShape] = []
    for line in lines.reversed() where line.initializer == initializer {
      guard found.count < limit else { break }
      found.append(line)
    }
    return found.reversed()
  }

  /// The last `limit` lines of one run, oldest first.
  ///
  /// - Parameter start: when the run started: there is none of it before.
  func last(_ limit: Int, of initializer: String, run: Int, since start: Double) -> [LogLineShape] {
    var found: [LogLineShape] = []
    for line in lines.reversed() {
      guard found.count < limit, line.time >= start else { break }
      if line.run == run, line.initializer == initializer { found.append(line) }
    }
    return found.reversed()
  }
}
