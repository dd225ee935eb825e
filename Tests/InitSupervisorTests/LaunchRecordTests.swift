import Testing

@testable import InitSupervisor

@Suite("LaunchRecord")
struct LaunchRecordTests {
  private static let a = LaunchRecord.Entry(name: "a", work: "command 1", output: nil)
  private static let b = LaunchRecord.Entry(name: "b", work: "worker", output: "{\"x\": \"é\\n\"}")

  private var record: LaunchRecord {
    var record = LaunchRecord(boot: "boot")
    record.note(Self.a)
    record.note(Self.b)
    return record
  }

  @Test("What is written is read, whole or line by line")
  func roundTrip() {
    #expect(LaunchRecord.read(record.text, boot: "boot") == .record(record))
    let lines = LaunchRecord(boot: "boot").text + LaunchRecord.line(for: Self.b) + LaunchRecord.line(for: Self.a)
    #expect(LaunchRecord.read(lines, boot: "boot") == .record(record))
  }

  @Test("The last word on a name counts")
  func last() {
    let newer = LaunchRecord.Entry(name: "a", work: "command 2", output: nil)
    let read = LaunchRecord.read(record.text + LaunchRecord.line(for: newer), boot: "boot")
    var expected = record
    expected.note(newer)
    #expect(read == .record(expected))
  }

  @Test("That of another boot says nothing")
  func otherBoot() {
    #expect(LaunchRecord.read(record.text, boot: "another") == .otherBoot)
  }

  @Test("Cut anywhere, it says what stood before the cut and nothing else")
  func cut() {
    let text = record.text
    let ends = text.indices.filter { text[$0] == UInt8(ascii: "\n") }
    for length in 0...text.count {
      let whole = ends.filter { $0 < length }.count
      switch LaunchRecord.read(Array(text[..<length]), boot: "boot") {
      case .record(let read):
        #expect(Array(read.entries.keys.sorted()) == Array(["a", "b"].prefix(whole - 1)), "cut at \(length)")
      case .damaged(let line): #expect(whole == 0 && line == 1, "cut at \(length)")
      case .otherBoot: Issue.record("cut at \(length)")
      }
    }
  }

  @Test("No byte can be changed without that being found")
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

  @Test("What is forgotten is gone, and only what was there is forgotten")
  func forgotten() {
    var record = record
    let (first, second) = (record.forget("a"), record.forget("a"))
    #expect((first, second) == (true, false))
    record.keep { $0.work != "worker" }
    #expect(record.entries.isEmpty)
  }

  @Test("The checksum is FNV-1a")
  func checksum() {
    #expect("\(Checksum("".utf8))" == "cbf29ce484222325")
    #expect("\(Checksum("foobar".utf8))" == "85944171f73967e8")
  }
}
