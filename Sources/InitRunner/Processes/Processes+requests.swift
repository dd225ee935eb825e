internal import AppInitializers
package import InitCore
internal import InitDeclarations
package import InitModel
internal import InitWords

/// A person's requests to stop, start and restart processes, each for all of the named processes.
extension Processes {
  /// A request that is answered once these starts of processes are over.
  struct PendingStop {
    let starts: [String: Int]
    let answer: () -> Void
  }

  /// Returns whether a process of this name is kept.
  package func keeps(_ name: String) -> Bool { named[name] != nil }

  /// Checks that nobody has stopped these, so they may be restarted.
  package func checkNotStopped(_ names: [String]) throws(Refusal) {
    let stopped = names.filter { named[$0]?.isStoppedByPerson == true }
    if !stopped.isEmpty { throw .stopped(stopped.map { InitializerStanding($0, .idle) }) }
  }

  /// Returns the shape of a process; nil if none has the name.
  package func shape(of name: String) -> Status.Process? { named[name]?.shape }

  /// Stops processes until somebody starts them.
  ///
  /// - Returns: those that somebody had stopped already.
  ///
  /// With `isExternal`, somebody runs them by hand: what answers there counts as the process.
  package func stop(_ names: [String], by user: String, isExternal: Bool = false) -> Set<String> {
    let before = Set(names.filter { named[$0]?.isStoppedByPerson == true && named[$0]?.isExternal == isExternal })
    for name in names where !before.contains(name) {
      if named[name]?.isAnsweredByOther == true { try? shared.manager.apply(.processAnswered(name, isUp: false)) }
      named[name]?.stop(by: user, isExternal: isExternal)
      try? shared.manager.apply(.processStopped(name))
    }
    return before
  }

  /// Returns the first of these in whose place somebody answers that runs it by hand.
  package func firstAnswered(_ names: [String]) -> String? { names.first { named[$0]?.isAnsweredByOther == true } }

  /// Returns why the first of these isn't part of what this supervisor runs, if one isn't (S28).
  package func firstExcluded(_ names: [String]) -> (name: String, why: String)? {
    for name in names {
      if let skip = named[name]?.shape.skipped { return (name, skip.message) }
    }
    return nil
  }

  /// Returns the first of these of which nothing says from outside whether it is ready.
  package func firstUnprobed(_ names: [String]) -> String? {
    names.first { if case .probe? = named[$0]?.declared.policy.ready { false } else { true } }
  }

  /// Calls back once those of these processes have exited that are asked to stop, also if they are started again.
  package func whenStopped(_ names: [String], then answer: @escaping () -> Void) {
    let stopping = names.compactMap { named[$0] }.filter { !$0.isUp }
    let starts = stopping.compactMap { process in process.currentStart.map { (process.name, $0) } }
    stops.append(PendingStop(starts: Dictionary(starts) { first, _ in first }, answer: answer))
    answerStops()
  }

  /// Starts processes that somebody has stopped, or that were given up or have ended.
  ///
  /// - Returns: those that run already.
  package func start(_ names: [String], by user: String) -> Set<String> {
    let before = Set(names.filter { named[$0]?.isUp == true })
    for name in names where !before.contains(name) { start(name, by: user) }
    return before
  }

  /// Returns whether a process has been started before, and nobody has stopped it, runs it by hand or left it out.
  package func mayBeRestarted(_ name: String) -> Bool {
    guard let process = named[name] else { return false }
    return process.hasBeenStarted && !process.isStoppedByPerson && process.declared.exclusion == nil
  }

  /// Restarts processes; those that don't run are started.
  ///
  /// `user` is the person who wants it, for the log; nil if it is logged already.
  package func restart(_ names: [String], by user: String?) {
    for name in names {
      afterPass[name] = nil
      guard let process = named[name], process.isRunning, !process.isStoppedByPerson else {
        start(name, by: user)
        continue
      }
      process.restart(by: user)
      try? shared.manager.apply(.processEnded(name))
    }
  }

  private func start(_ name: String, by user: String?) {
    guard let process = named[name] else { return }
    try? shared.manager.apply(.processStarted(name))
    process.start(by: user, mayStart: mayStart(process))
  }

  /// Answers the requests whose processes have exited.
  func answerStops() {
    let isOver = { [named] (stop: PendingStop) in stop.starts.allSatisfy { named[$0.key]?.currentStart != $0.value } }
    let over = stops.filter(isOver)
    guard !over.isEmpty else { return }
    stops.removeAll(where: isOver)
    for stop in over { stop.answer() }
  }
}
