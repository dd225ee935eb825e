internal import InitJSON
internal import InitModel
internal import InitTimeline

/// The launch initializers that have completed since the system booted, as lines of an append-only file: a value.
///
/// The first line identifies the boot. Each further line is about one initializer: it completed; or, without its work, it must run again
/// for a reason; or it was forgotten. The last line of a name counts. A line is a checksum, a space, a JSON object and a line break. A last
/// line without a line break is incomplete, because its writer was killed, and is ignored.
struct LaunchRecord: Equatable {
  /// One line.
  struct Entry: Shape {
    var name = ""
    /// The work that was run: if the work differs now, it must run again.
    ///
    /// Nil if the initializer isn't complete.
    var work: String?
    /// The output, as JSON.
    var output: String?
    /// The dependencies, for names that aren't declared before their worker registers.
    var dependencies: [String]?
    /// Whether the initializer is complete, but a dependency has run since then (S26).
    var stale: Bool?
    /// The fingerprint of its work's inputs when it completed, if it may be fresh (S30).
    var fingerprint: String?
    /// The files of its inputs when it completed, as ``InputDigests`` writes them.
    var inputs: [String]?
    /// The time of its completion, if it may be fresh: in milliseconds since the boot.
    var completed: Int?
    /// If the initializer isn't complete: why it must run again.
    var again: String?
    /// The dependency that causes the rerun, if that is the reason.
    var of: String?
    /// Whether dependents got an output that the next run will replace.
    ///
    /// Only for an initializer that isn't complete.
    var gave: Bool?

    init() {}

    /// Whether the initializer is complete.
    var isComplete: Bool { work != nil }
    /// Whether the dependents of the initializer got an output of it.
    var gaveOutput: Bool { output != nil || gave == true }

    /// Creates the entry of a completion.
    init(name: String, work: String?, output: String? = nil, dependencies: [String]? = nil) {
      self.name = name
      self.work = work
      self.output = output
      self.dependencies = dependencies
    }

    /// Creates the entry of an initializer that must run again.
    init(name: String, again: AgainReason, of: String? = nil, gave: Bool = false) {
      self.name = name
      self.again = again.rawValue
      self.of = of
      self.gave = gave ? true : nil
    }

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.optional("again", &again)
      try json.optional("completed", &completed)
      try json.optional("dependencies", &dependencies)
      try json.optional("fingerprint", &fingerprint)
      try json.optional("gave", &gave)
      try json.optional("inputs", &inputs)
      try json.required("name", &name)
      try json.optional("of", &of)
      try json.optional("output", &output)
      try json.optional("stale", &stale)
      try json.optional("work", &work)
    }
  }

  /// The contents of a file.
  enum Reading: Equatable {
    /// Completions of this boot.
    case record(LaunchRecord)
    /// The record belongs to an earlier boot.
    case otherBoot
    /// The record is damaged.
    case damaged(line: Int)
  }

  private struct Header: Shape {
    var boot = ""
    var version = 1

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("boot", &boot)
      try json.required("version", &version)
    }
  }

  /// The boot of the record.
  let boot: String
  /// The line of each completion, so the file can be rewritten without encoding them again.
  private var lines: [String: [UInt8]] = [:]
  /// The size of a compacted file with these contents.
  private(set) var size: Int

  /// Creates an empty record for this boot.
  init(boot: String) {
    self.boot = boot
    size = Self.line(Header(boot: boot)).count
  }

  /// The names of the initializers with a record, sorted.
  var names: [String] { lines.keys.sorted() }

  /// The records of all initializers, sorted by name.
  var entries: [Entry] { names.compactMap(entry) }

  /// Returns the record of an initializer; nil if it has no record.
  func entry(named name: String) -> Entry? { lines[name].flatMap { Entry(checked: $0.dropLast()) } }

  /// Records that an initializer has completed, or must run again.
  ///
  /// - Returns: the line to append.
  mutating func add(_ entry: Entry) -> [UInt8] {
    let line = Self.line(entry)
    size += line.count - (lines.updateValue(line, forKey: entry.name)?.count ?? 0)
    return line
  }

  /// Removes the record of an initializer.
  ///
  /// - Returns: the line to append; nil if the initializer had no record.
  mutating func forget(_ name: String) -> [UInt8]? {
    guard let old = lines.removeValue(forKey: name) else { return nil }
    size -= old.count
    return Self.line(Entry(name: name, work: nil))
  }

  var text: [UInt8] { names.reduce(into: Self.line(Header(boot: boot))) { $0 += lines[$1] ?? [] } }

  /// Parses a file's bytes, for this boot.
  static func read(_ bytes: [UInt8], boot: String) -> Reading {
    let ended = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[..<$0] } ?? []
    let lines = ended.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let first = lines.first, let header = Header(checked: first), header.version == 1 else {
      return .damaged(line: 1)
    }
    guard header.boot == boot else { return .otherBoot }
    var record = LaunchRecord(boot: boot)
    for (number, line) in lines.enumerated().dropFirst() {
      guard let entry = Entry(checked: line) else { return .damaged(line: number + 1) }
      if entry.isComplete || entry.again != nil { _ = record.add(entry) } else { _ = record.forget(entry.name) }
    }
    return .record(record)
  }

  private static func line(_ value: some JSONValue) -> [UInt8] { value.checked + [UInt8(ascii: "\n")] }
}
