internal import InitWire

/// What of the launch phase has completed since the system's start, as lines of a file: a value.
///
/// The first line names the boot, each further one an initializer. A line is a checksum, a space, a JSON object and a line break. A last line
/// without its line break was being written when its writer died, and doesn't count.
struct LaunchRecord: Equatable {
  /// One initializer that completed.
  struct Entry: Equatable, Codable {
    let name: String
    /// What was run: who completed something else has to run again.
    let work: String
    /// What it handed over, as JSON.
    let output: String?
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
  private(set) var entries: [String: Entry] = [:]

  /// Nothing has completed since this start of the system.
  init(boot: String) { self.boot = boot }

  /// An initializer has completed.
  mutating func note(_ entry: Entry) { entries[entry.name] = entry }

  /// One has been taken away, or has to run again.
  ///
  /// - Returns: whether that changes anything.
  mutating func forget(_ name: String) -> Bool { entries.removeValue(forKey: name) != nil }

  /// Only what fits the condition still holds.
  mutating func keep(where isValid: (Entry) -> Bool) { entries = entries.filter { isValid($0.value) } }

  /// The whole of it.
  var text: [UInt8] {
    entries.values.sorted { $0.name < $1.name }.reduce(into: Self.line(Header(boot: boot))) { $0 += Self.line($1) }
  }

  /// One initializer's line.
  static func line(for entry: Entry) -> [UInt8] { line(entry) }

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
      record.note(entry)
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

  var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
