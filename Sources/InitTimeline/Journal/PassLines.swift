internal import DequeModule
internal import InitJSON
package import InitModel

/// The last passes as lines of an append-only file: a value.
///
/// A line is the summary of a pass without its initializers, a tab, the initializers, and a line break. Lines of the newest passes also
/// have a tab and the details before the line break. Each part is JSON with a checksum and a space before it. A line that begins with `~`
/// has the details of the passes that were in flight when it was written; it counts only as the last line. A damaged line, and a last line
/// without a line break, are left out: each line is complete without the others.
package struct PassLines: Equatable, Sendable {
  /// How many passes are kept.
  package static let count = 1000
  /// The maximum number of passes with details.
  package static let detailedCount = 32

  /// One pass.
  private struct Line: Equatable {
    /// The bytes, with the line break.
    var bytes: [UInt8]
    /// Where the tab before the details is; nil without details.
    var detail: Int?

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      let tab = UInt8(ascii: "\t")
      detail = bytes.firstIndex(of: tab).flatMap { bytes[($0 + 1)...].firstIndex(of: tab) }
    }

    /// The size of the details.
    var detailBytes: Int { detail.map { bytes.count - 1 - $0 } ?? 0 }

    mutating func removeDetail() {
      if let detail { bytes.removeSubrange(detail..<bytes.count - 1) }
      detail = nil
    }

    /// The parts, without the line break.
    var parts: [ArraySlice<UInt8>] {
      bytes.dropLast().split(separator: UInt8(ascii: "\t"), maxSplits: 2, omittingEmptySubsequences: false)
    }
  }

  /// The lines, oldest first.
  private var lines: Deque<Line> = []
  /// The line of the passes in flight, if there are some.
  private var inFlight: [UInt8]?
  /// The size of the lines in bytes.
  package private(set) var size = 0
  /// How many lines have details, and the size of these.
  ///
  /// The number of lines with details: those of the newest passes.
  private var detailed = 0
  private var detailBytes = 0
  /// The largest size in bytes; the oldest lines are dropped beyond it.
  private let limit: Int
  /// The maximum size of all details; beyond it, the oldest details are dropped.
  private let detailLimit: Int

  /// Creates a value without lines.
  package init(limit: Int, detailLimit: Int? = nil) {
    self.limit = limit
    self.detailLimit = detailLimit ?? limit / 4
  }

  /// Takes the lines of a file, without parsing them.
  package init(_ bytes: [UInt8], limit: Int, detailLimit: Int? = nil) {
    self.init(limit: limit, detailLimit: detailLimit)
    let ended = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? []
    for line in ended.split(separator: UInt8(ascii: "\n")) {
      setInFlight(nil)
      let bytes: [UInt8] = line + [UInt8(ascii: "\n")]
      if line.first == Self.mark { setInFlight(bytes) } else { keep(Line(bytes)) }
    }
  }

  package var text: [UInt8] { lines.reduce(into: []) { $0 += $1.bytes } + (inFlight ?? []) }

  /// Adds a pass that has ended.
  ///
  /// `detail` explains the pass. `others` is the passes that are still in flight. Returns the line to append to the file.
  package mutating func add(
    _ summary: Pass.Times, _ detail: PassDetail? = nil, inFlight others: PassDetail? = nil
  ) -> [UInt8] {
    var head = summary
    head.initializers = []
    var bytes = head.checked + [UInt8(ascii: "\t")] + summary.initializers.checked
    if let detail { bytes += [UInt8(ascii: "\t")] + detail.checked }
    setInFlight(nil)
    keep(Line(bytes + [UInt8(ascii: "\n")]))
    return (lines.last?.bytes ?? []) + (others.map { recordInFlight($0) } ?? [])
  }

  /// Replaces the record of the passes in flight.
  ///
  /// - Returns: the line to append.
  package mutating func recordInFlight(_ detail: PassDetail) -> [UInt8] {
    var line = Self.inFlightLine(detail)
    if line.count > detailLimit { line = Self.inFlightLine(detail.brief) }
    setInFlight(line)
    return line
  }

  /// Removes the passes in flight, and returns them.
  package mutating func removeInFlight() -> PassDetail? {
    defer { setInFlight(nil) }
    return detailInFlight
  }

  /// The passes that were in flight when the last line was written.
  package var detailInFlight: PassDetail? {
    inFlight.flatMap { PassDetail(checked: $0.dropFirst().dropLast()) }
  }

  /// The first byte of a line of passes in flight.
  private static let mark = UInt8(ascii: "~")

  private static func inFlightLine(_ detail: PassDetail) -> [UInt8] { [mark] + detail.checked + [UInt8(ascii: "\n")] }

  private mutating func setInFlight(_ line: [UInt8]?) {
    size += (line?.count ?? 0) - (inFlight?.count ?? 0)
    inFlight = line
  }

  private mutating func keep(_ line: Line) {
    lines.append(line)
    size += line.bytes.count
    count(line, by: 1)
    while detailed > Self.detailedCount || detailBytes > detailLimit,
      let oldest = lines.firstIndex(where: { $0.detail != nil })
    {
      count(lines[oldest], by: -1)
      size -= lines[oldest].detailBytes
      lines[oldest].removeDetail()
    }
    while lines.count > Self.count || size > limit, let oldest = lines.popFirst() {
      size -= oldest.bytes.count
      count(oldest, by: -1)
    }
  }

  private mutating func count(_ line: Line, by difference: Int) {
    guard line.detail != nil else { return }
    detailed += difference
    detailBytes += difference * line.detailBytes
  }

  /// Leaves out the lines that are damaged.
  ///
  /// - Returns: how many.
  package mutating func removeDamaged() -> Int {
    let all = lines
    let isIntact = inFlight.map { Checksum.json(in: $0.dropFirst().dropLast()) != nil } ?? true
    let pending = inFlight
    lines = []
    size = 0
    detailed = 0
    detailBytes = 0
    inFlight = nil
    for line in all where 2...3 ~= line.parts.count && line.parts.allSatisfy({ Checksum.json(in: $0) != nil }) {
      keep(line)
    }
    if isIntact { setInFlight(pending) }
    return all.count - lines.count + (isIntact ? 0 : 1)
  }

  /// Returns the summaries, oldest first.
  ///
  /// The initializers are read only for the newest passes, up to `limit` bytes; the other passes have none.
  package func summaries(readingInitializersOf limit: Int) -> [Pass.Times] {
    var room = limit
    let newestFirst = lines.reversed().compactMap { line -> Pass.Times? in
      room -= line.bytes.count - line.detailBytes
      return Self.summary(in: line, isWhole: room >= 0)
    }
    return newestFirst.reversed()
  }

  /// The details of the newest passes, oldest first.
  package var details: [PassDetail] {
    lines.filter { $0.detail != nil }.compactMap { line in
      line.parts.count == 3 ? PassDetail(checked: line.parts[2]) : nil
    }
  }

  private static func summary(in line: Line, isWhole: Bool) -> Pass.Times? {
    let parts = line.parts
    guard 2...3 ~= parts.count, var summary = Pass.Times(checked: parts[0]) else { return nil }
    if isWhole {
      guard let initializers = [Pass.InitializerTimes](checked: parts[1]) else { return nil }
      summary.initializers = initializers
    }
    return summary
  }
}
