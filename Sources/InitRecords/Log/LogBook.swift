internal import DequeModule
internal import InitLog
internal import InitModel
internal import InitTimeline

/// The last output lines of commands, bounded in lines and in bytes; the oldest are dropped first.
///
/// The last lines of current and of failed runs are kept longer (``LogTails``), even the lines of failed runs of earlier supervisors.
package struct LogBook {
  /// The dropped lines of a name, even if they are among the tails.
  private struct Dropped {
    var count = 0
    /// The limit that caused the last line to be dropped.
    var limit = Limit.logLines
  }

  private enum Limit: String { case logLines, logBytes }

  private var lines: Deque<LogLine> = []
  private var tails = LogTails()
  private var bytes = 0
  /// The number of recalled lines: the lines of this supervisor are numbered from here on.
  private var recalled = 0
  private var dropped = Dropped()
  private var droppedOf: [String: Dropped] = [:]
  private let lineLimit: Int
  private let byteLimit: Int

  init(lineLimit: Int, byteLimit: Int) {
    self.lineLimit = lineLimit
    self.byteLimit = byteLimit
  }

  /// The number of the oldest kept line: lines are counted from the first line of the supervisor.
  private var first: Int { recalled + dropped.count }

  /// Adds a line.
  ///
  /// - Returns: whether the line belongs to a run that has failed.
  @discardableResult
  mutating func append(_ line: LogLine) -> Bool {
    let isOfFailure = tails.append(line, number: first + lines.count)
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
    return isOfFailure
  }

  /// Adds the output of runs that failed in earlier supervisors.
  ///
  /// This must precede all other lines.
  mutating func recall(_ outputs: [FailedOutput]) {
    let shapes = outputs.map(\.shapes)
    let all = shapes.enumerated().flatMap { output, lines in lines.indices.map { (output, $0) } }
    let order = all.sorted { (shapes[$0.0][$0.1].time, $0.0, $0.1) < (shapes[$1.0][$1.1].time, $1.0, $1.1) }
    var numbered: [[LogTails.Line]] = shapes.map { _ in [] }
    for (number, (output, line)) in order.enumerated() {
      numbered[output].append(LogTails.Line(number: number, shape: shapes[output][line]))
    }
    for lines in numbered { tails.recall(lines) }
    recalled = order.count
  }

  /// Ends the tail of a run of an initializer, or of a start of a kept process.
  mutating func end(_ name: String, run: Int, _ end: OutcomeName) { tails.end(name, run: run, end) }

  /// Ends the tail of a run of a kept process (S32).
  ///
  /// Returns the number of the start if the run has failed.
  mutating func endRun(ofProcess name: String, _ end: OutcomeName) -> Int? { tails.endRun(ofProcess: name, end) }

  /// Removes the output of a name's newest failed run.
  mutating func forgetFailure(of name: String) { tails.forgetFailure(of: name) }

  /// Returns the newest of these lines, oldest first, as many as fit into a page.
  func page(_ wanted: LogPage.Selection) -> LogPage {
    let end = wanted.before.map { min(max(0, $0), first + lines.count) } ?? first + lines.count
    let limit = wanted.limit
    let kept = tails.lines(of: wanted.name, before: wanted.failed ? end : min(first, end), onlyFailed: wanted.failed)
    func isWanted(_ line: LogLine) -> Bool {
      (wanted.name == nil || line.initializer == wanted.name) && (wanted.pass == nil || line.pass == wanted.pass)
    }
    var found: [LogLine] = []
    var room = Page.bytes
    /// Takes a line; false if the page is full.
    func append(_ line: LogLine) -> Bool {
      room -= Self.bytesInJSON(line)
      guard room >= 0 || found.isEmpty else { return false }
      found.append(line)
      return true
    }
    func page(before number: Int? = nil) -> LogPage {
      let (count, limitOfDropped) = dropped(of: wanted.name)
      return LogPage(
        lines: found.reversed(), next: number.map { (before: $0, limit: limit - found.count) }, dropped: count,
        droppedBy: limitOfDropped)
    }
    let common = wanted.failed ? first..<first : first..<max(first, end)
    for number in common.reversed() where found.count < limit {
      let line = lines[number - first]
      guard isWanted(line) else { continue }
      guard append(line) else { return page(before: number + 1) }
    }
    for line in kept.reversed() where found.count < limit && isWanted(line.shape) {
      guard append(line.shape) else { return page(before: line.number + 1) }
    }
    return page()
  }

  /// Returns how many lines of a name, or of all names, were dropped and aren't kept apart, and the limit that dropped the last of them;
  /// nil if no line was dropped.
  private func dropped(of name: String?) -> (Int?, String?) {
    let dropped = name.map { droppedOf[$0] ?? Dropped() } ?? dropped
    let kept = tails.count(of: name, in: recalled..<first)
    return dropped.count > kept ? (dropped.count - kept, dropped.limit.rawValue) : (nil, nil)
  }

  /// Returns the names of failed runs that have given up lines to others since the last call.
  mutating func removeShortened() -> Set<String> { tails.removeShortened() }

  /// The failed names for which lines may be kept.
  var failedNames: some Collection<String> { tails.failedNames }

  /// Returns the kept output of a name's newest failed run; nil if nothing is kept.
  ///
  /// `instance` identifies this supervisor.
  func failure(of name: String, instance: String) -> FailedOutput? {
    FailedOutput(tails.lines(ofFailed: name), instance: instance)
  }

  /// Returns the last `limit` lines of one run, oldest first.
  func last(_ limit: Int, of name: String, run: Int) -> ArraySlice<LogLine> {
    tails.lines(of: name, run: run).suffix(limit)
  }

  /// Returns the last `limit` lines of a name's newest failed run, oldest first.
  func last(_ limit: Int, ofFailed name: String) -> ArraySlice<LogLine> {
    tails.lines(ofFailed: name).suffix(limit)
  }

  /// An upper bound for the bytes of a line in addition to its text and name: member names, three numbers and punctuation.
  private static let membersBytes = 192

  /// Returns an upper bound for the line's bytes in an answer.
  private static func bytesInJSON(_ line: LogLine) -> Int {
    membersBytes + line.initializer.utf8.count + line.line.bytesInJSON
  }
}
