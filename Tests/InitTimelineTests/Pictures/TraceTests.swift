import InitJSON
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

/// A pass that was held for 1 s: `b` failed once, and both waited for their turn.
func recordedPass(inFlight: Bool = false) -> Pass {
  Pass(
    pass: 2, phase: .active, started: 100, opened: 101, duration: inFlight ? nil : 5,
    outcome: inFlight ? nil : .complete, concurrency: 1,
    runs: [
      Pass.Run(
        run: 3, initializer: "a<&>\u{1B}", attempt: 1, ready: 101, started: 101, duration: 1, outcome: .complete,
        waitedFor: []),
      Pass.Run(
        run: 4, initializer: "b", attempt: 1, attempts: 2, ready: 102, freedBy: "a<&>\u{1B}", freed: 102.25,
        started: 102.25, duration: 0.5, outcome: .failed, cause: .exit(status: 22), waitedFor: ["a<&>\u{1B}"]),
      Pass.Run(
        run: 5, initializer: "b", attempt: 2, attempts: 2, ready: 102, started: 103.5, duration: inFlight ? nil : 1.5,
        outcome: inFlight ? nil : .complete, waitedFor: ["a<&>\u{1B}"]),
    ])
}

@Suite("Trace")
struct TraceTests {
  private func slices(_ trace: Trace, _ track: Int) -> [String] {
    trace.events.filter { $0.phase == "X" && $0.track == track }.map {
      "\($0.name) \($0.time ?? -1)+\($0.duration ?? -1)"
    }
  }

  @Test(
    "Waiting, queued, running and backoff are slices of the initializer's track, in microseconds since the pass started"
  )
  func parts() {
    let trace = Trace(Timeline(recordedPass(), now: 0))
    #expect(slices(trace, 1) == ["running 1000000+1000000"])
    #expect(
      slices(trace, 2) == [
        "waiting 1000000+1000000", "queued 2000000+250000", "running 2250000+500000", "backoff 2750000+750000",
        "running 3500000+1500000",
      ])
  }

  @Test("The pass is the name of the process, and each initializer the name of a thread")
  func names() {
    let trace = Trace(Timeline(recordedPass(), now: 0))
    let names = trace.events.filter { $0.phase == "M" && $0.name.hasSuffix("_name") }
    #expect(names.map(\.arguments.name) == ["pass 2 (active)", "a<&>\u{1B}", "b"])
    #expect(names.map(\.track) == [0, 1, 2])
    #expect(Set(trace.events.map(\.process)) == [2])
  }

  @Test("Attempts and causes are arguments of the slices")
  func arguments() throws {
    let trace = Trace(Timeline(recordedPass(), now: 0))
    let running = trace.events.filter { $0.track == 2 && $0.name == "running" }.map(\.arguments)
    #expect(running.map(\.attempt) == [1, 2])
    #expect(running.map(\.attempts) == [2, 2])
    #expect(running.map(\.outcome) == ["failed", "complete"])
    #expect(running.map(\.cause) == ["exit status 22", nil])
    let text = String(decoding: try trace.json(), as: UTF8.self)
    #expect(text.hasPrefix(#"{"traceEvents":[{"name":"process_name","ph":"M","pid":2,"tid":0,"args":{"name":"pass 2 "#))
  }

  @Test("What is unfinished ends now")
  func inFlight() {
    let trace = Trace(Timeline(recordedPass(inFlight: true), now: 104))
    #expect(slices(trace, 2).last == "running 3500000+500000")
    #expect(trace.events.last?.arguments.outcome == "running")
  }

  @Test("Slices don't overlap, even if rounding or the recorded times would make them")
  func overlap() {
    var pass = recordedPass()
    pass.runs[1].duration = 1.25 + 4e-7
    pass.runs[2].started = 103.5 + 2e-7
    pass.runs[0].ready = 101.5
    let trace = Trace(Timeline(pass, now: 0))
    for track in 1...2 {
      var end = 0
      for slice in trace.events where slice.phase == "X" && slice.track == track {
        #expect(slice.time ?? 0 >= end)
        end = (slice.time ?? 0) + (slice.duration ?? 0)
      }
    }
  }
}
