import InitWire
import Testing

@testable import InitSupervisor

private func summary(_ pass: Int, initializers: Int = 1) -> PassSummaryShape {
  PassSummaryShape(
    instance: "i", pass: pass, phase: .launch, outcome: .complete, started: 1000, held: 0, duration: 2.5,
    initializers: (0..<initializers).map {
      InitializerSummaryShape(
        name: "n\($0)", outcome: .complete, attempts: 1, waited: 0, queued: 0.5, running: 2, backoff: 0, finished: 2.5)
    })
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
}
