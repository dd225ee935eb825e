internal import InitWords

/// The end: completed initializers are stopped one at a time, in the reverse order of completion (S24).
extension Machine {
  /// Records a completion as the latest one.
  mutating func recordCompletion(of index: InitializerIndex) {
    guard registry[index].declaration.hasStop else { return }
    lastCompletion += 1
    registry[index].completion = lastCompletion
  }

  mutating func handleStopsRequest() {
    guard isFinished, stopping == nil else { return }
    stopping = Stopping(namesToStop, timeout: configuration.stopTimeout, grace: configuration.cancelGrace)
  }

  /// Stops the next initializer, or ends if none is left.
  mutating func stopNext(at now: Instant) {
    guard let current = stopping, current.name == nil, !current.isOver else { return }
    guard let name = stopping?.next(at: now) else { return effects.append(.finishStops) }
    lastRun = lastRun.next
    stopRun = lastRun
    deadlines[.stop(lastRun)] = stopping?.deadline
    let index = registry.index(of: name)
    let run = index.flatMap { registry[$0].run }
    effects.append(
      .startStop(
        RunStart(
          run: lastRun, initializer: name, pass: run?.pass ?? 0, phase: run?.phase ?? .launch, attempt: 1,
          timeout: configuration.stopTimeout, worker: nil, index: index)))
  }

  private var namesToStop: [String] {
    let completed = registry.entries.filter { $0.completion != nil }
    return completed.sorted { ($0.completion ?? 0) < ($1.completion ?? 0) }.map(\.declaration.name)
  }

  mutating func handleStopEnd(of run: RunID) {
    guard stopRun == run else { return }
    deadlines[.stop(run)] = nil
    stopRun = nil
    stopping?.end()
  }

  /// Speeds up a stop that takes too long: first it is cancelled, then abandoned, so the next one can start.
  mutating func hurryStop(_ run: RunID, at now: Instant) {
    guard stopRun == run else { return }
    switch stopping?.hurry(at: now) {
    case .cancel:
      deadlines[.stop(run)] = stopping?.deadline
      effects.append(.cancelStop(run))
    case .giveUp:
      effects.append(.giveUpStop(run))
      stopRun = nil
    case nil: break
    }
  }
}
