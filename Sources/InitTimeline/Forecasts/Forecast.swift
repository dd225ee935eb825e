package import InitCore
internal import InitText
package import InitWire
internal import InitWords

/// How a pass would have gone if something had been different.
///
/// The machine that decides in the supervisor executes the recorded graph again, in simulated time: with the recorded durations, outcomes,
/// attempts and registrations. A retry's pauses keep its place (S16), so only their sum matters: each lasts the mean of the recorded ones.
package struct Forecast: Sendable {
  /// The pass as it would have gone.
  ///
  /// Its times begin at 0.
  package let timeline: Timeline

  /// Computes the forecast.
  ///
  /// - Parameters:
  ///   - timeline: the pass as recorded.
  ///   - initializers: all initializers in the order of registration, which decides the order of runs (S6).
  ///   - whatIf: what would be different.
  package init(of timeline: Timeline, among initializers: [InitializerShape], _ whatIf: WhatIf) {
    let graph = ExecutedGraph(timeline)
    let casting = Casting(graph, timeline.pass, among: initializers, whatIf)
    var rehearsal = Rehearsal(
      casting, concurrency: whatIf.concurrency ?? timeline.pass.concurrency ?? 1,
      patience: graph.stints.last.map { $0.start == nil ? $0.ended - graph.lastEnd : nil } ?? nil)
    let pass = rehearsal.run()
    let duration = (pass?.ended ?? .zero).inSeconds
    let runs = (pass?.runs ?? []).map { RunShape($0, seconds: \.inSeconds) }
    self.timeline = Timeline(
      PassShape(
        pass: timeline.pass.pass, phase: timeline.pass.phase.known ?? .launch, started: 0, opened: 0,
        duration: duration, outcome: timeline.pass.outcome?.known, error: timeline.pass.error,
        concurrency: whatIf.concurrency ?? timeline.pass.concurrency, runs: runs),
      now: duration
    ).adding(unstarted: graph.unstarted(in: runs, without: whatIf.without))
  }
}

extension ExecutedGraph {
  /// When the last run ended.
  var lastEnd: Double { stints.filter { $0.start != nil }.reduce(opened) { max($0, $1.ended) } }

  /// Returns the initializer that the pass waited for at its end, if it doesn't start in the forecast either.
  fileprivate func unstarted(in runs: [RunShape], without removed: Set<String>) -> [Unstarted] {
    guard let last = stints.last, last.start == nil, !removed.contains(last.name),
      !runs.contains(where: { $0.initializer == last.name })
    else { return [] }
    let ready = runs.filter { last.waitedFor.contains($0.initializer) }.reduce(0) {
      max($0, $1.started + ($1.duration ?? 0))
    }
    return [Unstarted(name: last.name, dependencies: last.waitedFor, ready: ready, status: .known(.waiting))]
  }
}
  ///   - polls: if it waits in a loop until something holds: the pause between two tries, in seconds.

extension RunShape {
  /// Converts a run of the machine.
  ///
  /// `cpu` is the CPU time that it used. `seconds` converts an instant to seconds since the Unix epoch.
  package init(_ run: RunRecord, cpu: Duration? = nil, polls: Double? = nil, seconds: (Instant) -> Double) {
    let cause: Cause? = if case .failed(let cause) = run.outcome { cause } else { nil }
    self.init(
      run: run.run.rawValue, initializer: run.initializer, attempt: run.attempt,
      attempts: run.attempts > 1 ? run.attempts : nil,
      ready: seconds(run.ready), provided: run.provided.map(seconds), freedBy: run.freed?.initializer,
      freed: (run.freed?.at).map(seconds), started: seconds(run.started),
      duration: run.outcome == nil ? nil : run.duration.inSeconds, cpu: cpu?.inSeconds,
      polls: polls, outcome: run.outcome.map(OutcomeName.init), cause: cause, waitedFor: run.waitedFor)
  }
}

extension OutcomeName {
  /// Converts how a run of the machine ended.
  package init(_ outcome: RunRecord.Outcome) {
    switch outcome {
    case .complete: self = .complete
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}
