internal import Passes
import Testing

@testable import Traces

@Suite("The spans of a pass")
struct SpanTests {
  static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  static let outer = "00-\(trace)-00f067aa0ba902b7-01"

  static func run(
    _ name: String, _ number: Int, attempt: Int = 1, _ outcome: Outcome = .complete, error: String? = nil,
    waitedFor: [String] = []
  ) -> EndedRun {
    EndedRun(
      number: number, initializer: name, attempt: attempt, ready: 1_000, started: 1_000.5, duration: 0.25, cpu: 0.125,
      outcome: outcome, error: error, waitedFor: waitedFor, traceparent: "00-\(trace)-000000000000000\(number)-01")
  }

  static func pass(_ runs: EndedRun...) -> EndedPass {
    EndedPass(
      instance: "i", number: 3, phase: .launch, started: 999, opened: 1_000, duration: 2, outcome: .complete,
      concurrency: 4, runs: runs)
  }

  @Test("A run has the numbers that its command got, and the pass is its parent")
  func numbers() throws {
    let spans = Span.spans(of: Self.pass(Self.run("a", 1), Self.run("b", 2, waitedFor: ["a"])))
    try #require(spans.count == 3)
    let trace = TraceID(high: 0x4bf9_2f35_77b3_4da6, low: 0xa3ce_929d_0e0e_4736)
    #expect(spans.allSatisfy { $0.trace == trace })
    #expect(spans[0].parent == nil)
    #expect(!spans[0].hasRemoteParent)
    #expect(spans[1...].map(\.id) == [1, 2])
    #expect(spans[1...].allSatisfy { $0.parent == spans[0].id && !$0.hasRemoteParent })
    #expect(spans.map(\.name) == ["launch pass", "a", "b"])
    #expect(spans.map(\.links) == [[], [], [1]])
  }

  @Test("The supervisor's own trace is the parent")
  func inherited() {
    var pass = Self.pass(Self.run("a", 1))
    pass.traceparent = Self.outer
    let root = Span.spans(of: pass)[0]
    #expect(root.parent == 0x00f0_67aa_0ba9_02b7)
    #expect(root.hasRemoteParent)
    #expect(root.trace == TraceID(high: 0x4bf9_2f35_77b3_4da6, low: 0xa3ce_929d_0e0e_4736))
  }

  @Test("What isn't to be recorded isn't exported")
  func unsampled() {
    var run = Self.run("a", 1)
    run.traceparent = "00-\(Self.trace)-0000000000000001-00"
    #expect(Span.spans(of: Self.pass(run)).isEmpty)
    var pass = Self.pass()
    pass.traceparent = "00-\(Self.trace)-00f067aa0ba902b7-00"
    #expect(Span.spans(of: pass).isEmpty)
  }

  @Test("Times are in nanoseconds, and the attributes say what a pass and a run were")
  func contents() {
    let spans = Span.spans(of: Self.pass(Self.run("a", 1)))
    #expect(spans[0].started == 999_000_000_000)
    #expect(spans[0].ended == 1_001_000_000_000)
    #expect(spans[0].events == [.init(name: "opened", time: 1_000_000_000_000)])
    #expect(
      spans[0].attributes == [
        .init(name: "initd.phase", value: .text("launch")), .init(name: "initd.pass", value: .number(3)),
        .init(name: "initd.outcome", value: .text("complete")), .init(name: "initd.concurrency", value: .number(4)),
        .init(name: "initd.held_seconds", value: .seconds(1)),
      ])
    #expect(spans[1].started == 1_000_500_000_000)
    #expect(spans[1].ended == 1_000_750_000_000)
    #expect(
      spans[1].attributes == [
        .init(name: "initd.initializer", value: .text("a")), .init(name: "initd.phase", value: .text("launch")),
        .init(name: "initd.pass", value: .number(3)), .init(name: "initd.run", value: .number(1)),
        .init(name: "initd.attempt", value: .number(1)), .init(name: "initd.outcome", value: .text("complete")),
        .init(name: "initd.queued_seconds", value: .seconds(0.5)),
        .init(name: "initd.cpu_seconds", value: .seconds(0.125)),
      ])
    #expect(Span.nanoseconds(-1) == 0)
    #expect(Span.nanoseconds(1e12) == 10_000_000_000_000_000_000)
  }

  @Test("Attempts are siblings; the failed ones have errors, and what waited is linked to the last")
  func attempts() {
    var pass = Self.pass(
      Self.run("a", 1, .failed, error: "exit status 3"), Self.run("a", 2, attempt: 2),
      Self.run("b", 3, .cancelled, waitedFor: ["a", "x"]))
    pass.outcome = .failed
    pass.failure = .init(initializer: "b", message: "b failed")
    let spans = Span.spans(of: pass)
    #expect(spans.map(\.error) == ["b failed", "exit status 3", nil, nil])
    #expect(spans[3].links == [2])
    #expect(spans[0].attributes.last == .init(name: "initd.failed_by", value: .text("b")))
    #expect(!spans[2].attributes.contains { $0.name == "initd.queued_seconds" })
  }

  @Test("Links are bounded")
  func links() {
    let others = (1...200).map { Self.run("i\($0)", 1) }
    var pass = Self.pass()
    pass.runs = others + [Self.run("z", 2, waitedFor: others.map(\.initializer))]
    let last = Span.spans(of: pass).last
    #expect(last?.links.count == 128)
    #expect(last?.droppedLinks == 72)
  }

  @Test("Exported again, a pass has the same numbers, and another pass has others")
  func stable() {
    var pass = Self.pass()
    let first = Span.spans(of: pass)
    #expect(first == Span.spans(of: pass))
    pass.number = 4
    let second = Span.spans(of: pass)
    #expect(first[0].id != second[0].id)
    #expect(first[0].trace != second[0].trace)
    // A supervisor that reports no trace contexts.
    var run = Self.run("a", 1)
    run.traceparent = nil
    pass.runs = [run, run]
    #expect(Set(Span.spans(of: pass).map(\.id)).count == 3)
    #expect(Span.spans(of: pass) == Span.spans(of: pass))
  }

  @Test("An invalid trace context isn't used")
  func invalid() {
    for text in [
      "", "x", "01-\(Self.trace)-00f067aa0ba902b7-01", "00-\(Self.trace)-0000000000000000-01", Self.outer + "-",
    ] {
      #expect(SpanContext(text) == nil, "\(text)")
    }
    #expect(SpanContext(Self.outer)?.isSampled == true)
  }
}
