internal import DequeModule
internal import InitWire

/// The last output lines of commands, bounded in lines and in bytes; the oldest are dropped first.
///
/// The last lines of current runs, and of failed ones, are kept longer (``LogTails``).
struct LogBook {
  typealias End = LogTails.End

  /// The dropped lines of a name, even if they are among the tails.
  private struct Dropped {
    var count = 0
    /// The limit because of which the last one was dropped.
    var limit = Limit.logLines
  }

  private enum Limit: String { case logLines, logBytes }

  private var lines: Deque<LogLineShape> = []
  private var tails: LogTails
  private var bytes = 0
  private var dropped = Dropped()
  private var droppedOf: [String: Dropped] = [:]
  private let lineLimit: Int
  private let byteLimit: Int

  init(lineLimit: Int, byteLimit: Int) {
    self.lineLimit = lineLimit
    self.byteLimit = byteLimit
    tails = LogTails(lineLimit: lineLimit, byteLimit: byteLimit)
  }

  /// The number of the oldest line that is kept here: lines are counted from the first one on.
  private var first: Int { dropped.count }

  mutating func append(_ line: LogLineShape) {
    tails.append(line, number: first + lines.count)
    lines.append(line)
    bytes += line.line.utf8.count
    while lines.count > lineLimit || bytes > byteLimit {
      let limit: Limit = lines.count > lineLimit ? .logLines : .logBytes
      guard let oldest = lines.popFirst() else { break }
      bytes -= oldest.line.utf8.count
      dropped = Dropped(count: dropped.count + 1, limit: limit)
      droppedOf[oldest.initializer, default: Dropped()].count += 1
      droppedOf[oldest.initializer]?.limit = limit
    }
  }

  /// Ends the tail of a run of an initializer, or of a start of a kept process.
  mutating func end(_ name: String, run: Int, _ end: End) { tails.end(name, run: run, end) }

  /// Returns the newest lines that a request asks for, oldest first, as many as fit into a page.
  func page(_ params: LogsParams) -> LogsResult {
    let end = params.before.map { min(max(0, $0.line), first + lines.count) } ?? first + lines.count
    let limit = params.before?.limit ?? params.limit
    let kept = tails.lines(of: params.initializer, before: first)
    var found: [LogLineShape] = []
    var room = Page.bytes
    /// Takes a line; false if the page is full.
    func append(_ line: LogLineShape) -> Bool {
      room -= Self.bytesInJSON(line)
      guard room >= 0 || found.isEmpty else { return false }
      found.append(line)
      return true
    }
    func result(before number: Int? = nil) -> LogsResult {
      var result = LogsResult(
        lines: found.reversed(), before: number.map { LogsPosition(line: $0, limit: limit - found.count) })
      let dropped = params.initializer.map { droppedOf[$0] ?? Dropped() } ?? dropped
      if dropped.count > kept.count {
        (result.dropped, result.droppedBy) = (dropped.count - kept.count, dropped.limit.rawValue)
      }
      return result
    }
    for number in (first..<max(first, end)).reversed() where found.count < limit {
      let line = lines[number - first]
      guard params.initializer == nil || line.initializer == params.initializer else { continue }
      guard append(line) else { return result(before: number + 1) }
    }
    for line in kept.reversed() where line.number < end && found.count < limit {
      guard append(line.shape) else { return result(before: line.number + 1) }
    }
    return result()
  }

  /// Returns the last `limit` lines of one run, oldest first.
  func last(_ limit: Int, of name: String, run: Int) -> ArraySlice<LogLineShape> {
    tails.lines(of: name, run: run).suffix(limit)
  }

  /// Returns the last `limit` lines of a name's newest failed run, oldest first.
  func last(_ limit: Int, ofFailed name: String) -> ArraySlice<LogLineShape> {
    tails.lines(ofFailed: name).suffix(limit)
  }

  /// An upper bound for the bytes of a line in addition to its text and name: member names, three numbers and punctuation.
  private static let membersBytes = 192

  /// Returns an upper bound for the line's bytes in an answer.
  private static func bytesInJSON(_ line: LogLineShape) -> Int {
    membersBytes + line.initializer.utf8.count + line.line.bytesInJSON
  }
}
