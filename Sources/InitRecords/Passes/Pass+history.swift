internal import InitCore
internal import InitHistory
internal import InitModel
internal import InitText
internal import Platform
internal import WireConversions

extension Pass {
  /// `polls` are the pauses of the initializers that wait in a loop until something holds.
  init(
    _ pass: History.PassRecord, running: [RunRecord], concurrency: Int, polls: [String: Double], clock: WallClock
  ) {
    let error: InitializationError? =
      if case .failed(let failure) = pass.outcome { InitializationError(failure) } else { nil }
    self.init(
      pass: pass.id.rawValue, phase: pass.phase, started: clock.seconds(at: pass.started),
      opened: pass.opened.map(clock.seconds), duration: pass.ended.map { ($0 - pass.started).inSeconds },
      outcome: OutcomeName(pass.outcome), error: error, concurrency: concurrency, cores: pass.cores?.count,
      busy: pass.busy?.inSeconds, supervisor: pass.supervisor?.inSeconds,
      runs: (pass.runs + running).map {
        Pass.Run($0, cpu: pass.cpu[$0.run], polls: polls[$0.initializer], seconds: clock.seconds)
      })
    processes = pass.processes?.inSeconds
  }
}
