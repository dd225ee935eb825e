internal import InitWords

/// Processes that a person has stopped (S32): they don't run, and don't count as complete, until somebody starts them.
extension Machine {
  /// Undoes the completion of a process that is stopped: launch is pending until it has started again.
  ///
  /// A pass in flight goes on without it, unless it has still to start something that depends on it: then it waits. Dependents that are
  /// complete stay so.
  mutating func handleStop(ofProcess name: String, at now: Instant) {
    guard !isShuttingDown, stopped.insert(name).inserted else { return }
    recovered.remove(name)
    guard let index = registry.index(of: name), registry[index].kind == .process else { return }
    if let run = registry[index].inFlight { stop(run, reason: .unregistered, at: now) }
    launch.due.remove(name)
    launch.outdated.remove(name)
    undoStopped(index)
    // It runs again in this pass if it is started again.
    launch.pass?.forgetCompletion(of: name, index)
    replan(.launch, at: now)
    touch(index)
  }

  private mutating func undoStopped(_ index: InitializerIndex) {
    guard registry[index].undo() else { return }
    registry[index].outcome = .idle
    dropEffect(of: index)
  }

  /// Lets what somebody runs by hand count as a process that is stopped, as long as it answers (S39).
  mutating func handleAnswer(inPlaceOf name: String, isUp: Bool, at now: Instant) {
    guard !isShuttingDown, stopped.contains(name), let index = registry.index(of: name),
      registry[index].kind == .process, registry[index].inFlight == nil
    else { return }
    if isUp { registry[index].complete(in: .launch) } else { undoStopped(index) }
    launch.pass?.isStale = true
    if !configuration.defersPlanning { planIfStale(at: now) }
    touch(index)
  }

  /// Lets a process run again: in the pass in flight, or in a new one, if launch was complete without it (S19), or
  /// has failed only because of such processes.
  mutating func handleStart(ofProcess name: String, at now: Instant) {
    guard !isShuttingDown else { return }
    let wasStopped = stopped.remove(name) != nil
    guard let index = registry.index(of: name), registry[index].kind == .process else { return }
    if wasStopped { join(.launch, [name], at: now) }
    if case .failed(let failure) = launch.state, !launch.hasPass,
      failure.all.contains(where: { $0.initializer == name })
    {
      // Launch may have failed only because of it.
      recovered.insert(name)
      relaunchIfRecovered(at: now)
    }
    if !configuration.defersPlanning { planIfStale(at: now) }
    touch(index)
  }

  /// The state of launch: pending while a process is unhealthy, or a process is stopped that had completed, or would have.
  var launchState: PhaseState {
    launch.state == .complete && (!unhealthy.isEmpty || isHeldBack) ? .pending : launch.state
  }

  private var isHeldBack: Bool {
    !stopped.isEmpty
      && stopped.contains { name in
        guard let entry = registry[name] else { return false }
        return entry.kind == .process && entry.isSelected && !entry.isLeftOut && !entry.isDone(in: .launch)
      }
  }
}
