internal import DequeModule
internal import InitModel

/// The last lines of runs, one run for each name, within a bound for all together.
///
/// A value.
///
/// Beyond the bound, the largest tail gives up the older half of its lines. So a tail that isn't larger than its share of the bound is never
/// displaced.
struct TailSet {
  /// A line, and its number in the log.
  struct Line {
    let number: Int
    let shape: LogLine
  }

  /// The last lines of a run.
  struct Tail {
    /// The bounds of one tail.
    static let lines = 100
    static let bytes = 64 << 10

    /// The run; nil for one of an earlier supervisor, which writes no more lines.
    let run: Int?
    fileprivate(set) var lines: Deque<Line> = []
    private var bytes = 0

    init(run: Int?) { self.run = run }

    /// The approximate memory of the tail, in bytes.
    fileprivate var size: Int { bytes + lines.count * TailSet.bytesOfLine + TailSet.bytesOfTail }

    fileprivate mutating func append(_ line: Line) {
      lines.append(line)
      bytes += line.shape.line.utf8.count
      while lines.count > Self.lines || bytes > Self.bytes { removeFirst() }
    }

    fileprivate mutating func removeFirst() {
      if let line = lines.popFirst() { bytes -= line.shape.line.utf8.count }
    }
  }

  /// About how much memory a line takes in addition to its text, and a tail in addition to its lines.
  static let bytesOfLine = 128
  static let bytesOfTail = 256

  private var tails: [String: Tail] = [:]
  private var size = 0
  private let limit: Int

  /// Creates an empty set with a bound in bytes.
  init(limit: Int) { self.limit = limit }

  /// The names, in no order.
  var names: some Collection<String> { tails.keys }

  /// Returns the lines of one name, oldest first, or the lines of all names, in no order.
  func lines(of name: String?) -> [Line] {
    guard let name else { return tails.values.flatMap(\.lines) }
    return tails[name].map { Array($0.lines) } ?? []
  }

  /// The tail of a name; nil without one.
  subscript(name: String) -> Tail? { tails[name] }

  /// Adds a line to the tail of a name, which is of this run.
  ///
  /// - Returns: the names that have given up lines.
  @discardableResult
  mutating func append(_ line: Line, to name: String, run: Int?) -> [String] {
    let before = tails[name]?.size ?? 0
    tails[name, default: Tail(run: run)].append(line)
    size += (tails[name]?.size ?? 0) - before
    return shrink()
  }

  /// Replaces the tail of a name.
  ///
  /// - Returns: the names that have given up lines.
  @discardableResult
  mutating func set(_ tail: Tail, of name: String) -> [String] {
    remove(name)
    tails[name] = tail
    size += tail.size
    return shrink()
  }

  @discardableResult
  mutating func remove(_ name: String) -> Tail? {
    let removed = tails.removeValue(forKey: name)
    size -= removed?.size ?? 0
    return removed
  }

  private mutating func shrink() -> [String] {
    var shortened: [String] = []
    while size > limit, let largest = tails.max(by: { $0.value.size < $1.value.size }) {
      shortened.append(largest.key)
      guard var tail = remove(largest.key), !tail.lines.isEmpty else { continue }
      for _ in 0..<(tail.lines.count + 1) / 2 { tail.removeFirst() }
      guard !tail.lines.isEmpty else { continue }
      tails[largest.key] = tail
      size += tail.size
    }
    return shortened
  }
}
