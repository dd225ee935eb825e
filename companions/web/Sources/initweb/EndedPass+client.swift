internal import AppInitializers
internal import InitClient
internal import Passes

extension EndedPass {
  /// Converts a pass of a supervisor; nil if it hasn't ended.
  init?(_ record: PassRecord, instance: String) {
    guard let duration = record.duration, let outcome = record.outcome else { return nil }
    self.init(
      instance: instance, number: record.number, phase: Phase(record.phase), started: record.started,
      opened: record.opened, duration: duration.seconds, outcome: Outcome(outcome),
      failure: record.error.map { Failure(initializer: $0.initializer, message: "\($0)") },
      concurrency: record.concurrency, traceparent: record.traceparent, runs: record.runs.compactMap(EndedRun.init),
      initializers: record.initializers.map(PassedInitializer.init),
      criticalPath: record.criticalPath.map(PathStep.init))
  }
}

extension EndedRun {
  fileprivate init?(_ record: RunRecord) {
    guard let duration = record.duration, let outcome = record.outcome else { return nil }
    self.init(
      number: record.number, initializer: record.initializer, attempt: record.attempt, ready: record.ready,
      started: record.started, duration: duration.seconds, cpu: record.cpu?.seconds, outcome: Outcome(outcome),
      error: record.error.map { "\($0)" }, waitedFor: record.waitedFor, traceparent: record.traceparent)
  }
}

extension PassedInitializer {
  fileprivate init(_ record: InitializerRecord) {
    self.init(
      name: record.name, outcome: record.outcome.word, attempts: record.attempts, waited: record.waited.seconds,
      queued: record.queued.seconds, running: record.running.seconds, backoff: record.backoff.seconds,
      cpu: record.cpu?.seconds)
  }
}

extension PathStep {
  fileprivate init(_ step: CriticalStep) {
    self.init(
      name: step.name, link: step.link.rawValue, from: step.from, queued: step.queued.seconds,
      running: step.running.seconds, backoff: step.backoff.seconds)
  }
}

extension Outcome {
  fileprivate init(_ outcome: SupervisorEvent.PassOutcome) {
    switch outcome {
    case .complete: self = .complete
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}
