import InitModel
import InitWire
import Testing

@testable import InitRecords

@Suite("LaunchRecord")
struct LaunchRecordTests {
  private static let a = LaunchRecord.Entry(name: "a", work: "command 1", output: nil)
  private static let b = LaunchRecord.Entry(name: "b", work: "worker", output: "{\"x\": \"é\\n\"}", dependencies: ["a"])

  private var record: LaunchRecord {
    var record = LaunchRecord(boot: "boot")
    _ = record.add(Self.a)
    _ = record.add(Self.b)
    return record
  }

  @Test("A written record is read back, as a whole or line by line, and its size is known")
  func roundTrip() {
    #expect(LaunchRecord.read(record.text, boot: "boot") == .record(record))
    #expect(record.size == record.text.count)
    #expect(record.entries == [Self.a, Self.b])
    var other = LaunchRecord(boot: "boot")
    var text = other.text
    text += other.add(Self.b)
    text += other.add(Self.a)
    #expect(LaunchRecord.read(text, boot: "boot") == .record(record))
    #expect(other == record)
  }

  @Test("The last line of a name counts, even if it says that the name is forgotten")
  func last() {
    var record = record
    var text = record.text
    text += record.add(LaunchRecord.Entry(name: "a", work: "command 2", output: nil))
    text += record.forget("b") ?? []
    #expect(LaunchRecord.read(text, boot: "boot") == .record(record))
    #expect(record.names == ["a"])
    #expect(record.size == record.text.count)
  }

  @Test("Why one must run again is read back, and replaces its completion; a completion replaces the reason")
  func again() {
    var record = record
    var text = record.text
    let note = LaunchRecord.Entry(name: "a", again: .dependency, of: "x", gave: true)
    text += record.add(note)
    #expect(LaunchRecord.read(text, boot: "boot") == .record(record))
    #expect(record.entry(named: "a") == note && !note.isComplete && note.gaveOutput)
    text += record.add(Self.a)
    #expect(LaunchRecord.read(text, boot: "boot") == .record(record))
    #expect(record.entry(named: "a") == Self.a && record.size == record.text.count)
  }

  @Test("S30: what may be fresh is read back with its fingerprint and the moment of its completion")
  func fingerprint() {
    var entry = Self.a
    entry.fingerprint = "x"
    entry.completed = 1500
    var record = record
    _ = record.add(entry)
    #expect(LaunchRecord.read(record.text, boot: "boot") == .record(record))
    #expect(record.entry(named: "a") == entry)
  }

  @Test("A record of another boot is ignored")
  func otherBoot() {
    #expect(LaunchRecord.read(record.text, boot: "another") == .otherBoot)
  }

  @Test("A file that is truncated anywhere has exactly the complete lines before that point")
  func cut() {
    let text = record.text
    let ends = text.indices.filter { text[$0] == UInt8(ascii: "\n") }
    for length in 0...text.count {
      let whole = ends.filter { $0 < length }.count
      switch LaunchRecord.read(Array(text[..<length]), boot: "boot") {
      case .record(let read):
        #expect(read.names == Array(["a", "b"].prefix(whole - 1)), "cut at \(length)")
      case .damaged(let line): #expect(whole == 0 && line == 1, "cut at \(length)")
      case .otherBoot: Issue.record("cut at \(length)")
      }
    }
  }

  @Test("Every changed byte is detected")
  func damaged() {
    let text = record.text
    for place in text.indices.dropLast() {
      var changed = text
      changed[place] ^= 1
      switch LaunchRecord.read(changed, boot: "boot") {
      case .damaged: break
      case .record(let read): Issue.record("byte \(place): \(read)")
      case .otherBoot: Issue.record("byte \(place)")
      }
    }
  }

  @Test("Only existing records can be forgotten")
  func forgotten() {
    var record = record
    let first = record.forget("a")
    let second = record.forget("a")
    #expect(first != nil && second == nil)
  }
}
