import OrderedCollections

/// The stops to do at the end, when nothing runs any more (S24).
struct Stopping: Hashable, Sendable {
  /// The names that have completed, the oldest completion first.
  var names: [String]
  /// The one that is being stopped.
  var current: Int?
  /// Its stop was cancelled.
  var isCancelled = false
  var isOver = false
}

/// The end: the completed initializers are stopped one at a time, in the reverse order of completion (S24).
extension Machine {
  /// Records a completion as the latest one.
  mutating func noteCompletion(of name: String) {
    guard registry[name]?.declaration.hasStop == true else { return }
    let number = lastCompletion + 1
    lastCompletion = number
    change(name) { $0.completion = number }
  }

  mutating func takeStopsRequest() {
    guard isFinished, stopping == nil else { return }
    stopping = Stopping(names: namesToStop)
  }

  /// Stops the next one; if there is none, ends.
  mutating func stopNext(at now: Instant) {
    guard let current = stopping, current.current == nil, !current.isOver else { return }
    guard let name = stopping?.names.popLast() else {
      stopping?.isOver = true
      return effects.append(.finishStops)
    }
    lastRun += 1
    stopping?.current = lastRun
    stopping?.isCancelled = false
    deadlines[.stop(lastRun)] = now + configuration.stopTimeout
    let run = registry[name]?.run
    effects.append(
      .startStop(
        RunStart(
          run: lastRun, initializer: name, pass: run?.pass ?? 0, phase: run?.phase ?? .launch, attempt: 1,
          timeout: configuration.stopTimeout, worker: nil)))
  }

  private var namesToStop: [String] {
    let completed = registry.values.filter { $0.completion != nil }
    return completed.sorted { ($0.completion ?? 0) < ($1.completion ?? 0) }.map(\.declaration.name)
  }

  mutating func takeStopEnd(of run: Int) {
    guard stopping?.current == run else { return }
    deadlines[.stop(run)] = nil
    stopping?.current = nil
  }

  /// The stop takes too long: first it is cancelled, then abandoned, so that the next one can start.
  mutating func hurryStop(_ run: Int, at now: Instant) {
    guard stopping?.current == run else { return }
    guard stopping?.isCancelled == true else {
      stopping?.isCancelled = true
      deadlines[.stop(run)] = now + configuration.cancelGrace
      return effects.append(.cancelStop(run))
    }
    effects.append(.giveUpStop(run))
    takeStopEnd(of: run)
  }
}
