internal import InitWire

/// What of the launch phase has completed since the system's start, as lines of a file that only grows: a value.
///
/// The first line names the boot, each further one an initializer that completed, or, without its work, one that was forgotten; the last word on
/// a name counts. A line is a checksum, a space, a JSON object and a line break. A last line without its line break was being written when
/// its writer died, and doesn't count.
struct LaunchRecord: Equatable {
  /// One line.
  struct Entry: Equatable, Codable {
    let name: String
    /// What was run: who completed something else has to run again. Nil where it is forgotten.
    let work: String?
    /// What it handed over, as JSON.
    var output: String?
    /// What it depended on, for those that nobody declares before their worker comes.
    var dependencies: [String]?
  }

  /// What a file says.
  enum Reading: Equatable {
    /// What completed in this boot.
    case record(LaunchRecord)
    /// It speaks of an earlier boot: nothing of it holds any more.
    case otherBoot
    /// It isn't what was written.
    case damaged(line: Int)
  }

  private struct Header: Equatable, Codable {
    var version = 1
    let boot: String
  }

  /// The system's start that it speaks of.
  let boot: String
  /// The line of each that completed: all of it could be written again without making any of it again.
  private var lines: [String: [UInt8]] = [:]
  /// How many bytes a file has that says no more than this.
  private(set) var size: Int

  /// Nothing has completed since this start of the system.
  init(boot: String) {
    self.boot = boot
    size = Self.line(Header(boot: boot)).count
  }

  /// The names of what completed, sorted.
  var names: [String] { lines.keys.sorted() }

  /// What is known of those, sorted by name.
  var entries: [Entry] {
    names.compactMap { name in lines[name].flatMap { Self.parse($0.dropLast(), as: Entry.self) } }
  }

  /// An initializer has completed.
  ///
  /// - Returns: the line that says so.
  mutating func note(_ entry: Entry) -> [UInt8] {
    let line = Self.line(entry)
    size += line.count - (lines.updateValue(line, forKey: entry.name)?.count ?? 0)
    return line
  }

  /// One has been taken away, or has to run again.
  ///
  /// - Returns: the line that says so; nil if nothing was known of it.
  mutating func forget(_ name: String) -> [UInt8]? {
    guard let old = lines.removeValue(forKey: name) else { return nil }
    size -= old.count
    return Self.line(Entry(name: name, work: nil))
  }

  /// The whole of it.
  var text: [UInt8] { names.reduce(into: Self.line(Header(boot: boot))) { $0 += lines[$1] ?? [] } }

  /// Reads a file's bytes, as somebody who lives in this boot.
  static func read(_ bytes: [UInt8], boot: String) -> Reading {
    let ended = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[..<$0] } ?? []
    let lines = ended.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let first = lines.first, let header = parse(first, as: Header.self), header.version == 1 else {
      return .damaged(line: 1)
    }
    guard header.boot == boot else { return .otherBoot }
    var record = LaunchRecord(boot: boot)
    for (number, line) in lines.enumerated().dropFirst() {
      guard let entry = parse(line, as: Entry.self) else { return .damaged(line: number + 1) }
      if entry.work == nil { _ = record.forget(entry.name) } else { _ = record.note(entry) }
    }
    return .record(record)
  }

  private static func line(_ value: some Encodable) -> [UInt8] {
    // Texts always have a JSON.
    let json = (try? RunOutput(encoding: value))?.value.bytes ?? []
    return Array("\(Checksum(json)) ".utf8) + json + [UInt8(ascii: "\n")]
  }

  private static func parse<Value: Decodable>(_ line: ArraySlice<UInt8>, as type: Value.Type) -> Value? {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, "\(Checksum(parts[1]))".utf8.elementsEqual(parts[0]) else { return nil }
    return try? RawJSON(checking: Array(parts[1])).decode(type)
  }
}

/// The FNV-1a hash of 64 bits, as 16 hexadecimal digits: the same in every process. It finds damage, not malice.
struct Checksum: CustomStringConvertible {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  var description: String { value.digits(16, radix: 16) }
}
