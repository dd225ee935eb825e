internal import DequeModule
internal import InitWire

/// The last lines of each name's current run, and of its newest failed one: the output of others can't displace them.
///
/// A value.
///
/// All tails together are bounded, too. Beyond that, the largest tail gives up the older half of its lines, so a short one is never
/// displaced.
struct LogTails {
  /// How a run ended.
  enum End {
    case complete, failed
    /// The failed run before it stays.
    case cancelled
  }

  /// A line, and its number in the log.
  struct Line {
    let number: Int
    let shape: LogLineShape
  }

  private struct Tail {
    let run: Int
    var lines: Deque<Line> = []
    var bytes = 0
  }

  /// The tails of a name.
  private struct Pair {
    var current: Tail?
    var failed: Tail?

    var all: [Line] { (failed.map { Array($0.lines) } ?? []) + (current.map { Array($0.lines) } ?? []) }
  }

  /// The bounds of one tail.
  static let lines = 100
  static let bytes = 64 << 10

  private var pairs: [String: Pair] = [:]
  private var total = (lines: 0, bytes: 0)
  private let lineLimit: Int
  private let byteLimit: Int

  /// - Parameters:
  ///   - lineLimit: how many lines all tails have at most.
  ///   - byteLimit: how many bytes these have at most.
  init(lineLimit: Int, byteLimit: Int) { (self.lineLimit, self.byteLimit) = (lineLimit, byteLimit) }

  /// Adds a line.
  ///
  /// A line of a run before the current one and the failed one isn't kept.
  mutating func append(_ line: LogLineShape, number: Int) {
    let line = Line(number: number, shape: line)
    let name = line.shape.initializer
    if pairs[name]?.failed?.run == line.shape.run {
      add(line, to: \.failed)
    } else {
      if let current = pairs[name]?.current?.run, current != line.shape.run {
        guard current < line.shape.run else { return }
        remove(\.current, of: name)
      }
      if pairs[name]?.current == nil { pairs[name, default: Pair()].current = Tail(run: line.shape.run) }
      add(line, to: \.current)
    }
    while total.lines > lineLimit || total.bytes > byteLimit { halveLargest() }
  }

  /// Ends the tail of a run.
  ///
  /// A failed one replaces the one that failed before, and so does a complete one.
  mutating func end(_ name: String, run: Int, _ end: End) {
    let isCurrent = pairs[name]?.current?.run == run
    switch end {
    case .cancelled: if isCurrent { remove(\.current, of: name) }
    case .complete:
      if isCurrent { remove(\.current, of: name) }
      remove(\.failed, of: name)
    case .failed:
      remove(\.failed, of: name)
      // More of its output may follow.
      pairs[name, default: Pair()].failed = isCurrent ? pairs[name]?.current : Tail(run: run)
      if isCurrent { pairs[name]?.current = nil }
    }
    if let pair = pairs[name], pair.current == nil, pair.failed == nil { pairs[name] = nil }
  }

  /// Returns the lines of a run that are kept, oldest first.
  func lines(of name: String, run: Int) -> [LogLineShape] {
    guard let pair = pairs[name] else { return [] }
    return [pair.current, pair.failed].compactMap(\.self).first { $0.run == run }?.lines.map(\.shape) ?? []
  }

  /// Returns the lines of a name's newest failed run that are kept, oldest first.
  func lines(ofFailed name: String) -> [LogLineShape] { pairs[name]?.failed?.lines.map(\.shape) ?? [] }

  /// Returns the kept lines with numbers below `end`, of one name or of all, oldest first.
  func lines(of name: String?, before end: Int) -> [Line] {
    let all = if let name { pairs[name]?.all ?? [] } else { pairs.values.flatMap(\.all) }
    return all.filter { $0.number < end }.sorted { $0.number < $1.number }
  }

  private mutating func add(_ line: Line, to tail: WritableKeyPath<Pair, Tail?>) {
    let name = line.shape.initializer
    guard var changed = pairs[name]?[keyPath: tail].take() else { return }
    changed.lines.append(line)
    changed.bytes += line.shape.line.utf8.count
    total = (total.lines + 1, total.bytes + line.shape.line.utf8.count)
    while changed.lines.count > Self.lines || changed.bytes > Self.bytes { drop(from: &changed) }
    pairs[name]?[keyPath: tail] = changed
  }

  private mutating func drop(from tail: inout Tail) {
    guard let line = tail.lines.popFirst() else { return }
    let bytes = line.shape.line.utf8.count
    tail.bytes -= bytes
    total = (total.lines - 1, total.bytes - bytes)
  }

  private mutating func remove(_ tail: WritableKeyPath<Pair, Tail?>, of name: String) {
    guard let removed = pairs[name]?[keyPath: tail] else { return }
    total = (total.lines - removed.lines.count, total.bytes - removed.bytes)
    pairs[name]?[keyPath: tail] = nil
  }

  private mutating func halveLargest() {
    let isByLines = total.lines > lineLimit
    func size(_ tail: Tail?) -> Int { tail.map { isByLines ? $0.lines.count : $0.bytes } ?? 0 }
    let sizes = pairs.lazy.flatMap { name, pair in
      [(size(pair.current), name, \Pair.current), (size(pair.failed), name, \Pair.failed)]
    }
    guard let (_, name, path) = sizes.max(by: { $0.0 < $1.0 }), var tail = pairs[name]?[keyPath: path] else { return }
    for _ in 0..<(tail.lines.count + 1) / 2 { drop(from: &tail) }
    pairs[name]?[keyPath: path] = tail
  }
}
