package import InitCore
package import InitModel
internal import InitText
internal import InitWords

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
    waits = run.takesSlot ? nil : true
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
