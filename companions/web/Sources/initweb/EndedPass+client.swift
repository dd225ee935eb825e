internal import InitClient
internal import InitModel
internal import Passes

extension EndedPass {
  /// Converts a pass of a supervisor; nil if it hasn't ended.
  init?(_ pass: Pass, instance: String) {
    guard let duration = pass.duration, let outcome = pass.outcome?.known else { return nil }
    self.init(
      instance: instance, number: pass.pass, phase: Phase(pass.phase), started: pass.started,
      opened: pass.opened, duration: duration, outcome: Outcome(outcome),
      failure: pass.error.map { Failure(initializer: $0.initializer, message: $0.message) },
      concurrency: pass.concurrency, traceparent: pass.traceparent, runs: pass.runs.compactMap(EndedRun.init),
      initializers: pass.times().initializers.map(PassedInitializer.init),
      criticalPath: pass.criticalPath().map(PathStep.init))
  }
}

extension EndedRun {
  fileprivate init?(_ run: Pass.Run) {
    guard let duration = run.duration, let outcome = run.outcome?.known else { return nil }
    self.init(
      number: run.run, initializer: run.initializer, attempt: run.attempt, ready: run.ready, started: run.started,
      duration: duration, cpu: run.cpu, outcome: Outcome(outcome), error: run.cause.map { "\($0)" },
      waitedFor: run.waitedFor, traceparent: run.traceparent)
  }
}

extension PassedInitializer {
  fileprivate init(_ times: Pass.InitializerTimes) {
    self.init(
      name: times.name, outcome: times.outcome.rawValue, attempts: times.attempts, waited: times.waited,
      queued: times.queued, running: times.running, backoff: times.backoff, cpu: times.cpu)
  }
}

extension PathStep {
  fileprivate init(_ step: CriticalStep) {
    self.init(
      name: step.name, link: step.link.rawValue, from: step.from, queued: step.queued, running: step.running,
      backoff: step.backoff)
  }
}

extension Outcome {
  fileprivate init(_ outcome: OutcomeName) {
    switch outcome {
    case .complete: self = .complete
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}
