package import InitCore
package import InitModel
internal import InitText
internal import InitWire
internal import InitWords

/// A prediction of how a pass would have gone if something had been different.
package struct Forecast: Sendable {
  /// The predicted pass.
  ///
  /// Its times begin at 0.
  package let timeline: Timeline
  /// Whether a start is predicted that completes, although the recorded pass failed or was cancelled.
  package let isStart: Bool
  /// Whether nothing is different and the pass completed, so every run takes its recorded duration.
  package let isMeasured: Bool
  /// If a start is predicted: the initializers that take as long as usual, because they didn't run to completion.
  package let usual: [String]
  /// The initializers of a start whose duration isn't known.
  ///
  /// Each of these counts as long as it ran, so the prediction is a lower bound.
  package let unknown: [String]
  /// The initializers that wait for something outside: each ends at the moment at which it did in the pass.
  package let moments: [String]
  /// The initializers whose CPU time isn't known, if they take a notable part of the pass: they count as waiting.
  package let uncounted: [String]
  /// Why even a start wouldn't complete, for example because of a circular dependency.
  package let failure: String?
  /// How many cores the runs use on average; `nil` if their CPU time, or the number of cores, isn't known.
  package let coresUsed: Double?

  /// The minimum part of the pass for which an unknown CPU time matters.
  private static let leastUncounted = 0.1

  init(
    _ input: SimulationInput, _ timeline: Timeline, isStart: Bool, isMeasured: Bool, failure: Failure?, cpu: Double
  ) {
    self.timeline = timeline
    self.isStart = isStart
    self.isMeasured = isMeasured
    self.failure = failure?.description
    usual = input.usual
    unknown = input.unknown
    moments = input.moments.sorted()
    let least = max(Self.leastUncounted * timeline.duration, .leastNonzeroMagnitude)
    uncounted = timeline.initializers.filter { $0.running >= least }.map(\.name).filter(input.uncounted.contains)
    coresUsed = timeline.pass.cores.flatMap { cores in
      cpu > 0 && timeline.duration > 0 ? min(cores, cpu / timeline.duration) : nil
    }
  }
}

extension Pass.Run {
  /// Converts a run of the machine.
  ///
  /// `cpu` is the CPU time of the run. `polls` is set if the run waits in a loop until something holds: the pause between two tries, in
  /// seconds. `seconds` converts an instant to seconds since the Unix epoch.
  package init(_ run: RunRecord, cpu: Duration? = nil, polls: Double? = nil, seconds: (Instant) -> Double) {
    let cause: Cause? = if case .failed(let cause) = run.outcome { cause } else { nil }
    self.init(
      run: run.run.rawValue, initializer: run.initializer, attempt: run.attempt,
      attempts: run.attempts > 1 ? run.attempts : nil,
      ready: seconds(run.ready), provided: run.provided.map(seconds), freedBy: run.freed?.initializer,
      freed: (run.freed?.at).map(seconds), started: seconds(run.started),
      duration: run.outcome == nil ? nil : run.duration.inSeconds, cpu: cpu?.inSeconds,
      polls: polls, outcome: run.outcome.map(OutcomeName.init), cause: cause, waitedFor: run.waitedFor)
    group = run.group
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
