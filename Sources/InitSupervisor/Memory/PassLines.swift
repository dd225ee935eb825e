internal import DequeModule
internal import InitWire

/// The summaries of the last passes as lines of an append-only file: a value.
///
/// A line is the summary without its initializers, a tab, the initializers and a line break; both are JSON with a checksum and a space
/// before them. A damaged line, and a last line without a line break, are left out: each line stands for itself.
struct PassLines: Equatable {
  /// How many passes are kept.
  static let count = 1000

  /// The lines, oldest first, with their line breaks.
  private(set) var lines: Deque<[UInt8]> = []
  /// Their size in bytes.
  private(set) var size = 0
  /// The largest size in bytes; the oldest lines are dropped beyond it.
  let limit: Int

  /// No lines.
  init(limit: Int) { self.limit = limit }

  /// The lines of a file, without parsing them.
  init(_ bytes: [UInt8], limit: Int) {
    self.init(limit: limit)
    let ended = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? []
    for line in ended.split(separator: UInt8(ascii: "\n")) { keep(line + [UInt8(ascii: "\n")]) }
  }

  /// All lines.
  var text: [UInt8] { lines.reduce(into: []) { $0 += $1 } }

  /// Adds a summary, and returns its line.
  mutating func add(_ summary: PassSummaryShape) -> [UInt8] {
    var head = summary
    head.initializers = []
    // Their numbers are finite: they come from the clock.
    let parts = [(try? head.json()) ?? [], (try? summary.initializers.json()) ?? []]
    let texts = parts.map { Array("\(Checksum($0)) ".utf8) + $0 }
    let line = texts[0] + [UInt8(ascii: "\t")] + texts[1] + [UInt8(ascii: "\n")]
    keep(line)
    return line
  }

  private mutating func keep(_ line: [UInt8]) {
    lines.append(line)
    size += line.count
    while lines.count > Self.count || size > limit, let oldest = lines.popFirst() { size -= oldest.count }
  }

  /// The summaries, oldest first. The initializers are read for the newest only, up to `limit` bytes; the others have none.
  func summaries(readingInitializersOf limit: Int) -> [PassSummaryShape] {
    var room = limit
    let newestFirst = lines.reversed().compactMap { line -> PassSummaryShape? in
      room -= line.count
      return Self.summary(in: line, isWhole: room >= 0)
    }
    return newestFirst.reversed()
  }

  private static func summary(in line: [UInt8], isWhole: Bool) -> PassSummaryShape? {
    let parts = line.dropLast().split(separator: UInt8(ascii: "\t"))
    guard parts.count == 2, var summary = value(of: parts[0], as: PassSummaryShape.self) else { return nil }
    if isWhole {
      guard let initializers = value(of: parts[1], as: [InitializerSummaryShape].self) else { return nil }
      summary.initializers = initializers
    }
    return summary
  }

  private static func value<Value: JSONValue>(of text: ArraySlice<UInt8>, as type: Value.Type) -> Value? {
    let parts = text.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, "\(Checksum(parts[1]))".utf8.elementsEqual(parts[0]),
      let json = try? RawJSON(checking: Array(parts[1]))
    else { return nil }
    return try? Value.read(json, .lenient)
  }
}
