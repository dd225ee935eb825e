internal import InitLog
internal import InitModel

/// The last lines of each name's current run, and of its newest failed one: the output of others can't displace them.
///
/// A value.
///
/// Current and failed runs have separate bounds, so current runs don't displace the output of failed ones.
package struct LogTails {
  typealias Line = TailSet.Line

  /// The default bound of all current tails together, and of all failed tails, in bytes of memory.
  static let limit = 8 << 20

  private var current: TailSet
  private var failed: TailSet
  /// The names whose failed runs have given up lines to others since they were last asked for.
  private var shortened: Set<String> = []

  /// Creates an empty value.
  ///
  /// `limit` is the bound of all current tails together, and of all failed tails, in bytes.
  init(limit: Int = Self.limit) {
    current = TailSet(limit: limit)
    failed = TailSet(limit: limit)
  }

  /// Adds a line.
  ///
  /// A line isn't kept if its run is neither the current nor the failed run.
  ///
  /// - Returns: whether the line belongs to the failed run.
  @discardableResult
  mutating func append(_ shape: LogLine, number: Int) -> Bool {
    let line = Line(number: number, shape: shape)
    let name = shape.initializer
    let run = shape.run
    if failed[name]?.run == run {
      shortened.formUnion(failed.append(line, to: name, run: run))
      return true
    }
    if let before = current[name]?.run, before != run {
      guard before < run else { return false }
      current.remove(name)
    }
    current.append(line, to: name, run: run)
    return false
  }

  /// Ends the tail of a run.
  ///
  /// A failed or complete run replaces the earlier failure of the name.
  mutating func end(_ name: String, run: Int, _ end: OutcomeName) {
    let ended = current[name]?.run == run ? current.remove(name) : nil
    switch end {
    case .cancelled: break
    case .complete: failed.remove(name)
    // More output of the run may follow.
    case .failed: shortened.formUnion(failed.set(ended ?? TailSet.Tail(run: run), of: name))
    }
  }

  /// Ends a run of a kept process, whose lines are numbered by its starts (S32).
  ///
  /// A complete run replaces the earlier failure, and the output of the process continues. A failed run ends a start that was only stopped;
  /// a start that failed by itself has already ended.
  ///
  /// - Returns: the start that it has ended as failed.
  mutating func endRun(ofProcess name: String, _ end: OutcomeName) -> Int? {
    switch end {
    case .complete:
      failed.remove(name)
      return nil
    case .cancelled:
      current.remove(name)
      return nil
    case .failed:
      guard let ended = current.remove(name) else { return nil }
      shortened.formUnion(failed.set(ended, of: name))
      return ended.run
    }
  }

  /// Removes the output of a name's newest failed run.
  mutating func forgetFailure(of name: String) { failed.remove(name) }

  /// Adds the lines of a run that failed when an earlier supervisor executed it, oldest first.
  mutating func recall(_ lines: [Line]) {
    for line in lines { failed.append(line, to: line.shape.initializer, run: nil) }
  }

  /// Returns the names whose failed runs have given up lines to others since the last call.
  mutating func removeShortened() -> Set<String> {
    defer { shortened = [] }
    return shortened
  }

  /// The names for which lines of a failed run are kept.
  var failedNames: some Collection<String> { failed.names }

  /// Returns the lines of a run that are kept, oldest first.
  func lines(of name: String, run: Int) -> [LogLine] {
    [current[name], failed[name]].compactMap(\.self).first { $0.run == run }?.lines.map(\.shape) ?? []
  }

  /// Returns the lines of a name's newest failed run that are kept, oldest first.
  func lines(ofFailed name: String) -> [LogLine] { failed[name]?.lines.map(\.shape) ?? [] }

  /// Returns the kept lines with numbers below `end`, of one name or of all, oldest first.
  ///
  /// `onlyFailed` leaves out the lines of current runs.
  func lines(of name: String?, before end: Int, onlyFailed: Bool = false) -> [Line] {
    let all = failed.lines(of: name) + (onlyFailed ? [] : current.lines(of: name))
    return all.filter { $0.number < end }.sorted { $0.number < $1.number }
  }

  /// Returns how many lines with such numbers are kept, of one name or of all names.
  func count(of name: String?, in numbers: Range<Int>) -> Int {
    (failed.lines(of: name) + current.lines(of: name)).count { numbers.contains($0.number) }
  }
}
