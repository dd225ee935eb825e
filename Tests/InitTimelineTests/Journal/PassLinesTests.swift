import InitJSON
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

private func summary(_ pass: Int, initializers: Int = 1) -> Pass.Times {
  Pass.Times(
    instance: "i", pass: pass, phase: .launch, outcome: .complete, started: 1000, held: 0, duration: 2.5,
    initializers: (0..<initializers).map {
      Pass.InitializerTimes(
        name: "n\($0)", outcome: .complete, attempts: 1, waited: 0, queued: 0.5, running: 2, backoff: 0, finished: 2.5)
    })
}

/// A complete pass with some runs, and the details that explain it.
private func detail(_ pass: Int, runs: Int = 1, inFlight: Bool = false) -> PassDetail {
  var status = Status()
  status.time = 1002.5
  status.instance = "i"
  let shapes = (0..<runs).map {
    Pass.Run(
      run: $0, initializer: "n\($0)", attempt: 1, ready: 1000, started: 1000.5, duration: inFlight ? nil : 2,
      outcome: inFlight ? nil : .complete, waitedFor: [])
  }
  let shape = Pass(
    pass: pass, phase: .launch, started: 1000, opened: 1000, duration: inFlight ? nil : 2.5,
    outcome: inFlight ? nil : .complete, concurrency: 1, runs: shapes)
  return PassDetail(passes: [shape], status: status, output: [])
}

@Suite("Lines of the file of passes")
struct PassLinesTests {
  @Test("A summary comes back from its line")
  func roundTrip() {
    var lines = PassLines(limit: 1 << 20)
    let added = lines.add(summary(1)) + lines.add(summary(2))
    #expect(lines.text == added && lines.size == added.count)
    let read = PassLines(added, limit: 1 << 20)
    #expect(read == lines)
    #expect(read.summaries(readingInitializersOf: .max) == [summary(1), summary(2)])
  }

  @Test("Damaged lines and an incomplete last line are left out; the others stay")
  func damage() {
    var lines = PassLines(limit: 1 << 20)
    let first = lines.add(summary(1))
    var second = lines.add(summary(2))
    second[second.count / 2] ^= 1
    let third = lines.add(summary(3))
    let read = PassLines(first + second + third + third.dropLast(), limit: 1 << 20)
    #expect(read.summaries(readingInitializersOf: .max).map(\.pass) == [1, 3])
    #expect(PassLines(Array("nonsense\n\n\t\n".utf8), limit: 1 << 20).summaries(readingInitializersOf: .max).isEmpty)
  }

  @Test("The last 1,000 passes are kept, and never more bytes than the limit")
  func bounds() {
    var lines = PassLines(limit: 1 << 20)
    for pass in 1...1200 { _ = lines.add(summary(pass, initializers: 0)) }
    #expect(lines.summaries(readingInitializersOf: .max).map(\.pass) == Array(201...1200))
    var small = PassLines(limit: 3000)
    for pass in 1...20 { _ = small.add(summary(pass, initializers: 5)) }
    #expect(small.size <= 3000 && small.text.count == small.size)
    #expect(small.summaries(readingInitializersOf: .max).last?.pass == 20)
  }

  @Test("The initializers of the newest passes are read first, up to a number of bytes")
  func newestFirst() {
    var lines = PassLines(limit: 1 << 20)
    for pass in 1...3 { _ = lines.add(summary(pass, initializers: 4)) }
    let read = lines.summaries(readingInitializersOf: lines.size / 3 + 1)
    #expect(read.map(\.pass) == [1, 2, 3])
    #expect(read.map(\.initializers.count) == [0, 0, 4])
  }

  @Test("Details are kept for the last 32 passes, and the summaries of the others stay")
  func details() {
    var lines = PassLines(limit: 1 << 20)
    var file: [UInt8] = []
    for pass in 1...40 { file += lines.add(summary(pass), detail(pass)) }
    #expect(lines.details == (9...40).map { detail($0) })
    #expect(lines.summaries(readingInitializersOf: .max) == (1...40).map { summary($0) })
    #expect(lines.size == lines.text.count && lines.size < file.count)
    #expect(PassLines(file, limit: 1 << 20) == lines)
    #expect(PassLines(lines.text, limit: 1 << 20) == lines)
  }

  @Test("The total size of details is bounded: the oldest are left out, and so is one that is too large by itself")
  func detailBounds() {
    let large = detail(1, runs: 20)
    var lines = PassLines(limit: 1 << 20, detailLimit: 2 * ((try? large.json().count) ?? 0) + 100)
    for pass in 1...4 { _ = lines.add(summary(pass), detail(pass, runs: 20)) }
    #expect(lines.details.map { $0.passes[0].pass } == [3, 4])
    var small = PassLines(limit: 1 << 20, detailLimit: 10)
    let added = small.add(summary(1), large)
    #expect(small.details.isEmpty && small.text == added && small.size == added.count)
    #expect(small.summaries(readingInitializersOf: .max) == [summary(1)])
  }

  @Test("The details don't count when initializers are read up to a number of bytes")
  func detailsAreNotInitializers() {
    var lines = PassLines(limit: 1 << 20)
    let plain = lines.add(summary(1)).count
    _ = lines.add(summary(2), detail(2, runs: 50))
    #expect(lines.summaries(readingInitializersOf: 2 * plain).map(\.initializers.count) == [1, 1])
  }

  @Test("Passes in flight count only as the last line")
  func inFlight() {
    var lines = PassLines(limit: 1 << 20)
    var file = lines.add(summary(1), detail(1))
    file += lines.recordInFlight(detail(2, inFlight: true))
    file += lines.recordInFlight(detail(2, runs: 2, inFlight: true))
    #expect(lines.detailInFlight == detail(2, runs: 2, inFlight: true))
    #expect(PassLines(file, limit: 1 << 20) == lines && lines.size == lines.text.count)
    file += lines.add(summary(2), detail(2))
    #expect(lines.detailInFlight == nil && PassLines(file, limit: 1 << 20) == lines)
    file += lines.add(summary(3), detail(3), inFlight: detail(4, inFlight: true))
    var read = PassLines(file, limit: 1 << 20)
    #expect(read == lines && lines.size == lines.text.count)
    #expect(read.removeInFlight() == detail(4, inFlight: true))
    #expect(read.removeInFlight() == nil && read.size == read.text.count)
    #expect(read.summaries(readingInitializersOf: .max).map(\.pass) == [1, 2, 3])
  }

  @Test("Passes in flight that are too large are recorded without their runs")
  func largeInFlight() throws {
    var lines = PassLines(limit: 1 << 20, detailLimit: 1000)
    _ = lines.recordInFlight(detail(1, runs: 20, inFlight: true))
    let pass = try #require(lines.detailInFlight?.passes.first)
    #expect(pass.pass == 1 && pass.runs.isEmpty)
  }

  @Test("Every damaged part is found, and its line is left out")
  func removeDamaged() {
    var lines = PassLines(limit: 1 << 20)
    let first = lines.add(summary(1), detail(1))
    let second = lines.add(summary(2))
    let third = lines.recordInFlight(detail(3, inFlight: true))
    let file = first + second + third
    var whole = PassLines(file, limit: 1 << 20)
    #expect(whole.removeDamaged() == 0 && whole == lines)
    for place in file.indices where file[place] != UInt8(ascii: "\n") {
      var changed = file
      changed[place] ^= 1
      var read = PassLines(changed, limit: 1 << 20)
      #expect(read.removeDamaged() >= 1, "byte \(place)")
      let left = read.summaries(readingInitializersOf: .max).count + (read.detailInFlight == nil ? 0 : 1)
      #expect(left >= 1, "byte \(place)")
      #expect(read.size == read.text.count, "byte \(place)")
    }
  }

  @Test("A pass that was cut off ends at the last moment that is known, and what ran in it is cancelled")
  func interrupted() throws {
    let cutOff = detail(1, runs: 2, inFlight: true)
    #expect(cutOff.running(in: .launch) == ["n0", "n1"] && cutOff.running(in: .active).isEmpty)
    let interrupted = cutOff.interrupted
    let pass = try #require(interrupted.passes.first)
    #expect(pass.interrupted == true && pass.outcome == .known(.cancelled) && pass.duration == 2.5)
    #expect(pass.runs.map(\.duration) == [2, 2] && pass.runs.allSatisfy { $0.outcome == .known(.cancelled) })
    let summary = interrupted.summary(of: pass)
    #expect(summary.interrupted == true && summary.instance == "i" && summary.outcome == .known(.cancelled))
    #expect(summary.initializers.map(\.outcome) == [.known(.cancelled), .known(.cancelled)])
    #expect(detail(1).interrupted == detail(1), "a pass that has ended stays as it is")
  }
}

@Suite("Checksum")
struct ChecksumTests {
  @Test("The checksum is FNV-1a")
  func checksum() {
    #expect("\(Checksum("".utf8))" == "cbf29ce484222325")
    #expect("\(Checksum("foobar".utf8))" == "85944171f73967e8")
  }
}
