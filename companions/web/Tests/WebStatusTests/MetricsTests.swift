internal import Passes
import Testing

@testable import WebStatus

@Suite("Metrics")
struct MetricsTests {
  /// Returns the sample lines of the metrics that begin with the text.
  private func lines(_ followed: Followed, _ start: String) -> [String] {
    followed.metrics(residentBytes: nil).split(separator: "\n").map(String.init).filter { $0.hasPrefix(start) }
  }

  @Test("Runs are counted with their outcomes once their pass has ended, and retries are those after the first")
  func outcomes() {
    var followed = ProbeTests.followed(ProbeTests.pending)
    #expect(lines(followed, "initd_runs_total").isEmpty)
    followed.count(
      [
        pass(
          100, .failed, endedRun("a", queued: 0, cpu: nil, .failed), endedRun("a", attempt: 2, queued: 0, cpu: nil),
          endedRun("b", queued: 0, cpu: nil, .cancelled)),
        pass(101, .complete, endedRun("a", queued: 0, cpu: nil)),
      ], since: 0)
    #expect(
      lines(followed, "initd_runs_total") == [
        #"initd_runs_total{initializer="a",outcome="complete"} 2"#,
        #"initd_runs_total{initializer="a",outcome="failed"} 1"#,
        #"initd_runs_total{initializer="b",outcome="cancelled"} 1"#,
      ])
    #expect(lines(followed, "initd_retries_total") == [#"initd_retries_total{initializer="a"} 1"#])
    #expect(
      lines(followed, #"initd_passes_total{phase="launch""#) == [
        #"initd_passes_total{phase="launch",outcome="complete"} 1"#,
        #"initd_passes_total{phase="launch",outcome="failed"} 1"#,
        #"initd_passes_total{phase="launch",outcome="cancelled"} 0"#,
      ])
    let durations = "initd_run_duration_seconds"
    #expect(lines(followed, durations + "_count") == [durations + #"_count{initializer="a"} 2"#])
    #expect(lines(followed, durations + "_sum") == [durations + #"_sum{initializer="a"} 2"#])
  }

  @Test("Restarts of processes go on with another supervisor")
  func restarts() {
    var picture = Picture(
      instance: "a", pid: 1, states: ProbeTests.ready,
      processes: [KeptProcess(name: "p", pid: 7, restarts: 2)])
    var followed = Followed()
    followed.replace(with: picture)
    followed.replace(with: picture)
    picture.instance = "b"
    picture.processes[0].restarts = 1
    followed.replace(with: picture)
    #expect(lines(followed, "initd_process_restarts_total") == [#"initd_process_restarts_total{process="p"} 3"#])
  }

  @Test("The buckets of a histogram are cumulative")
  func histogram() {
    var histogram = Histogram()
    for seconds in [0.001, 0.01, 0.02, 700] { histogram.add(seconds) }
    var text = PrometheusText()
    text.begin("d_seconds", .histogram, "Durations.")
    text.sample([("initializer", "a")], histogram)
    let lines = text.text.split(separator: "\n")
    #expect(lines[2] == #"d_seconds_bucket{initializer="a",le="0.01"} 2"#)
    #expect(lines[3] == #"d_seconds_bucket{initializer="a",le="0.025"} 3"#)
    #expect(lines[16] == #"d_seconds_bucket{initializer="a",le="600"} 3"#)
    #expect(lines[17] == #"d_seconds_bucket{initializer="a",le="+Inf"} 4"#)
    #expect(lines.last == #"d_seconds_count{initializer="a"} 4"#)
  }

  private func pass(_ ended: Double, _ outcome: Outcome = .complete, _ runs: EndedRun...) -> EndedPass {
    EndedPass(
      instance: "a", number: 1, phase: .launch, started: ended - 3, opened: ended - 2, duration: 3, outcome: outcome,
      runs: runs)
  }

  private func endedRun(
    _ name: String, attempt: Int = 1, queued: Double, cpu: Double?, _ outcome: Outcome = .complete
  ) -> EndedRun {
    EndedRun(
      number: 1, initializer: name, attempt: attempt, ready: 10, started: 10 + queued, duration: 1, cpu: cpu,
      outcome: outcome)
  }

  @Test("Passes have durations, and their runs queue waits and CPU time")
  func passes() {
    var followed = ProbeTests.followed(ProbeTests.pending)
    #expect(
      lines(followed, "initd_pass_duration_seconds_count") == [
        #"initd_pass_duration_seconds_count{phase="launch"} 0"#,
        #"initd_pass_duration_seconds_count{phase="active"} 0"#,
      ])
    #expect(lines(followed, "initd_last_pass").isEmpty)
    followed.count(
      [
        pass(
          100, .complete, endedRun("a", queued: 0.5, cpu: 0.25), endedRun("a", attempt: 2, queued: 9, cpu: 0.5),
          endedRun("b", queued: 2, cpu: nil)),
        pass(101, .failed),
      ], since: 100)
    #expect(
      lines(followed, "initd_pass_duration_seconds_sum") == [
        #"initd_pass_duration_seconds_sum{phase="launch"} 2"#, #"initd_pass_duration_seconds_sum{phase="active"} 0"#,
      ])
    #expect(
      lines(followed, "initd_run_queue_seconds_sum") == [
        #"initd_run_queue_seconds_sum{initializer="a"} 0.5"#, #"initd_run_queue_seconds_sum{initializer="b"} 2"#,
      ])
    #expect(lines(followed, "initd_run_cpu_seconds_total") == [#"initd_run_cpu_seconds_total{initializer="a"} 0.75"#])
    #expect(
      lines(followed, "initd_last_pass_duration_seconds") == [#"initd_last_pass_duration_seconds{phase="launch"} 2"#])
  }

  @Test("A pass from before the start isn't counted, but it is the last one")
  func earlier() {
    var followed = ProbeTests.followed(ProbeTests.pending)
    followed.count([pass(99, .complete, endedRun("a", queued: 1, cpu: 1))], since: 100)
    #expect(lines(followed, "initd_pass_duration_seconds_count").first?.hasSuffix(" 0") == true)
    #expect(lines(followed, "initd_run_queue_seconds").isEmpty)
    #expect(
      lines(followed, "initd_last_pass_duration_seconds") == [#"initd_last_pass_duration_seconds{phase="launch"} 2"#])
  }

  @Test("Exported spans are counted")
  func spans() {
    let text = Followed().metrics(
      residentBytes: nil, spans: SpanCounts(exported: 3, dropped: [("refused", 2), ("overflow", 0)], queued: 1))
    #expect(text.contains("\ninitweb_spans_exported_total 3\n"))
    #expect(text.contains("\ninitweb_spans_dropped_total{reason=\"refused\"} 2\n"))
    #expect(text.contains("\ninitweb_spans_queued 1\n"))
    #expect(!Followed().metrics(residentBytes: nil).contains("initweb_spans"))
  }

  @Test("However many initializers there are, the metrics are bounded")
  func bounded() {
    var followed = ProbeTests.followed(ProbeTests.pending)
    var large = pass(100)
    large.runs = (0..<1_000).map { endedRun("i\($0)", queued: 1, cpu: 1) }
    followed.count([large], since: 0)
    for name in ["initd_runs_total", "initd_run_queue_seconds_count"] {
      #expect(lines(followed, name).count == 101)
      #expect(lines(followed, name + #"{initializer="_other""#).first?.hasSuffix(" 900") == true)
    }
    #expect(followed.metrics(residentBytes: nil).utf8.count < 256 * 1024)
  }

  @Test("Workers of one process are counted separately")
  func workers() {
    var followed = ProbeTests.followed(ProbeTests.pending)
    followed.set(ConnectedWorker(name: "w", pid: 7, initializers: ["a"]))
    followed.set(ConnectedWorker(name: "w", pid: 7, initializers: ["b"]))
    followed.set(ConnectedWorker(name: "w", pid: 7, initializers: ["a", "c"]))
    #expect(lines(followed, "initd_workers") == ["initd_workers 2"])
    followed.remove(ConnectedWorker(name: "w", pid: 7, initializers: ["a", "c"]))
    followed.set(ConnectedWorker(name: "w", pid: 7, initializers: []))
    #expect(lines(followed, "initd_workers") == ["initd_workers 0"])
  }

  @Test("A label's value is escaped")
  func escaped() {
    var text = PrometheusText()
    text.begin("a", .gauge, "A.")
    text.sample([("b", "\"\\\n")], 1)
    #expect(text.text.hasSuffix("a{b=\"\\\"\\\\\\n\"} 1\n"))
  }

  @Test("Without a supervisor, there are no states")
  func absent() {
    #expect(lines(Followed(), "initd_up") == ["initd_up 0"])
    #expect(lines(Followed(), "initd_state").isEmpty)
  }
}
