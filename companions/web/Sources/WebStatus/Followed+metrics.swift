internal import Passes

extension Followed {
  private static let statuses = [
    "idle", "waiting", "running", "stopping", "complete", "failed", "cancelled", "notRun", "skipped",
  ]

  /// Returns the metrics as a text for Prometheus.
  ///
  /// `residentBytes` is the supervisor's memory; nil if it isn't known. `readers` is the number of clients that read events of this program.
  /// `missedPasses` is the number of passes that no other metric counts. `spans` is nil if no traces are exported, and `history` if none is kept.
  public func metrics(
    residentBytes: Int?, readers: Int = 0, missedPasses: Int = 0, spans: SpanCounts? = nil,
    history: HistoryStatus? = nil
  ) -> String {
    var text = PrometheusText()
    text.begin("initd_up", .gauge, "Whether the supervisor answers.")
    text.sample(link == .answering ? 1 : 0)
    if let picture { write(picture, to: &text) }
    if let residentBytes {
      text.begin("initd_resident_memory_bytes", .gauge, "Resident memory of the supervisor.")
      text.sample(residentBytes)
    }
    write(tally, to: &text)
    text.begin("initweb_event_readers", .gauge, "Clients that read the events of initweb.")
    text.sample(readers)
    text.begin(
      "initweb_missed_passes_total", .counter, "Passes that ended before initweb could ask for their durations.")
    text.sample(missedPasses)
    if let spans { write(spans, to: &text) }
    history?.write(to: &text)
    return text.text
  }

  private func write(_ picture: Picture, to text: inout PrometheusText) {
    text.begin("initd_state", .gauge, "1 for the state in which launch, active and their composite are.")
    let states = picture.states
    for (scope, state) in [("launch", states.launch), ("active", states.active), ("composite", states.composite)] {
      for word in ["pending", "complete", "failed"] {
        text.sample([("scope", scope), ("state", word)], state.word == word ? 1 : 0)
      }
    }
    text.begin("initd_app_active", .gauge, "Whether the app is active.")
    text.sample(states.isActive ? 1 : 0)

    text.begin("initd_initializers", .gauge, "Initializers by status.")
    let counts = Dictionary(
      picture.initializers.map { (Self.statuses.contains($0.status) ? $0.status : "other", 1) }, uniquingKeysWith: +)
    for status in Self.statuses + ["other"] { text.sample([("status", status)], counts[status] ?? 0) }
    text.begin("initd_workers", .gauge, "Connected workers.")
    text.sample(picture.workers.count)

    if let subscribers = picture.subscribers {
      text.begin("initd_subscribers", .gauge, "Connections that get events of the supervisor, with that of initweb.")
      text.sample(subscribers)
    }

    guard !picture.processes.isEmpty else { return }
    text.begin("initd_process_running", .gauge, "Whether a process that is kept running runs.")
    for process in picture.processes { text.sample([("process", process.name)], process.isRunning ? 1 : 0) }
    text.begin("initd_process_given_up", .gauge, "Whether a process isn't restarted because it exited too often.")
    for process in picture.processes { text.sample([("process", process.name)], process.isGivenUp ? 1 : 0) }
    text.begin("initd_process_unhealthy", .gauge, "Whether the checks of a process fail.")
    for process in picture.processes { text.sample([("process", process.name)], process.isUnhealthy ? 1 : 0) }
  }

  private func write(_ tally: Tally, to text: inout PrometheusText) {
    text.begin("initd_passes_total", .counter, "Passes that have ended since initweb was started, by outcome.")
    for phase in Phase.allCases {
      for outcome in Outcome.allCases {
        let count = tally.passes[Tally.PassKey(phase: phase, outcome: outcome)] ?? 0
        text.sample([("phase", phase.rawValue), ("outcome", outcome.rawValue)], count)
      }
    }
    text.begin(
      "initd_pass_duration_seconds", .histogram, "Durations of complete passes, from their opening to their end.")
    for phase in Phase.allCases {
      text.sample([("phase", phase.rawValue)], tally.passDurations[phase] ?? Histogram())
    }
    if !tally.lastPasses.isEmpty {
      text.begin("initd_last_pass_duration_seconds", .gauge, "Duration of the last complete pass.")
      for (phase, seconds) in tally.lastPasses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        text.sample([("phase", phase.rawValue)], seconds)
      }
    }
    if !tally.runs.isEmpty {
      text.begin("initd_runs_total", .counter, "Runs of initializers in passes that have ended, by outcome.")
      for (key, count) in tally.runs.sorted(by: { $0.key < $1.key }) {
        text.sample([("initializer", key.initializer), ("outcome", key.outcome.rawValue)], count)
      }
    }
    if !tally.durations.isEmpty {
      text.begin("initd_run_duration_seconds", .histogram, "Durations of complete runs, in passes that have ended.")
      for (name, histogram) in tally.durations.sorted(by: { $0.key < $1.key }) {
        text.sample([("initializer", name)], histogram)
      }
    }
    if !tally.queues.isEmpty {
      text.begin(
        "initd_run_queue_seconds", .histogram,
        "The time that first attempts waited for a place or a worker, in passes that have ended.")
      for (name, histogram) in tally.queues.sorted(by: { $0.key < $1.key }) {
        text.sample([("initializer", name)], histogram)
      }
    }
    if !tally.cpu.isEmpty {
      text.begin("initd_run_cpu_seconds_total", .counter, "CPU time of runs, in passes that have ended.")
      for (name, seconds) in tally.cpu.sorted(by: { $0.key < $1.key }) {
        text.sample([("initializer", name)], seconds)
      }
    }
    if !tally.retries.isEmpty {
      text.begin("initd_retries_total", .counter, "Further attempts after one that failed, in passes that have ended.")
      for (name, count) in tally.retries.sorted(by: { $0.key < $1.key }) {
        text.sample([("initializer", name)], count)
      }
    }
    if !tally.restarts.isEmpty {
      text.begin("initd_process_restarts_total", .counter, "Restarts of processes that are kept running.")
      for (name, count) in tally.restarts.sorted(by: { $0.key < $1.key }) {
        text.sample([("process", name)], count)
      }
    }
    text.begin("initweb_lost_events_total", .counter, "Events that initweb was too slow to read.")
    text.sample(tally.lostEvents)
  }

  private func write(_ spans: SpanCounts, to text: inout PrometheusText) {
    text.begin("initweb_spans_exported_total", .counter, "Spans that a collector has taken.")
    text.sample(spans.exported)
    text.begin("initweb_spans_dropped_total", .counter, "Spans that were dropped, by reason.")
    for (reason, count) in spans.dropped { text.sample([("reason", reason)], count) }
    text.begin("initweb_spans_queued", .gauge, "Spans that a collector hasn't taken yet.")
    text.sample(spans.queued)
  }
}

/// How many spans were exported, dropped or queued.
public struct SpanCounts: Sendable {
  /// The number of spans that a collector has accepted.
  public var exported: Int
  /// The numbers of dropped spans, each with its reason in one word.
  public var dropped: [(reason: String, count: Int)]
  /// The number of spans that wait.
  public var queued: Int

  /// Creates the counts of exported, dropped and queued spans.
  public init(exported: Int, dropped: [(reason: String, count: Int)], queued: Int) {
    self.exported = exported
    self.dropped = dropped
    self.queued = queued
  }
}
