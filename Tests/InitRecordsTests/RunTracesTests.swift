import InitCore
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitRecords

struct RunTracesTests {
  private let seed = RunTraces.Seed(high: 1, low: 2)
  private let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  private func start(run: RunID, pass: PassID, _ phase: Phase = .active) -> RunStart {
    RunStart(run: run, initializer: "a", pass: pass, phase: phase, attempt: 1, timeout: nil, worker: nil)
  }

  @Test("The runs of a pass share its trace; every run is a span of its own")
  func spans() {
    let traces = RunTraces(seed, parent: nil)
    var seen: Set<TraceContext.TraceID> = []
    var spans: Set<UInt64> = []
    for pass in 1...50 {
      let contexts = (1...20).map { traces.context(of: start(run: RunID(20 * pass + $0), pass: PassID(pass))) }
      #expect(Set(contexts.map(\.trace)).count == 1)
      #expect(contexts.allSatisfy { TraceContext($0.description) == $0 })
      seen.formUnion(contexts.map(\.trace))
      spans.formUnion(contexts.map(\.span))
    }
    #expect(seen.count == 50)
    #expect(spans.count == 1000)
  }

  @Test("Every launch pass keeps the trace of the supervisor's environment; other passes have traces of their own")
  func inherited() throws {
    let traces = RunTraces(seed, parent: TraceContext(parent))
    let outer = try #require(TraceContext(parent))
    let first = traces.context(of: start(run: 1, pass: 1, .launch))
    let second = start(run: 2, pass: 1, .launch)
    #expect(first.trace == outer.trace && traces.context(of: second).trace == outer.trace)
    #expect(Set([outer.span, first.span, traces.context(of: second).span]).count == 3)
    #expect(traces.context(of: start(run: 3, pass: 2)).trace != outer.trace)
    #expect(traces.context(of: start(run: 4, pass: 3, .launch)).trace == outer.trace)
  }

  @Test("A trace that isn't recorded stays so in the launch pass only")
  func sampling() {
    let traces = RunTraces(seed, parent: TraceContext(parent.dropLast() + "0"))
    #expect(!traces.context(of: start(run: 1, pass: 1, .launch)).isSampled)
    #expect(traces.context(of: start(run: 2, pass: 2)).isSampled)
  }

  @Test("An invalid trace context of the environment is ignored", arguments: ["", "x", "01", "00-1-1-01"])
  func invalid(text: String) {
    let traces = RunTraces(seed, parent: TraceContext(text))
    let alone = RunTraces(seed, parent: nil)
    let start = start(run: 1, pass: 1, .launch)
    #expect(traces.context(of: start) == alone.context(of: start))
  }

  @Test("Two supervisors have different traces and spans")
  func seeds() {
    let start = start(run: 1, pass: 1)
    let one = RunTraces(parent: nil).context(of: start)
    let other = RunTraces(parent: nil).context(of: start)
    #expect(one.trace.high != other.trace.high && one.trace.low != other.trace.low && one.span != other.span)
  }
}
