import InitCore
import InitWords

/// The laws that hold at every step.
extension NaiveWorld {
  /// Checks that a run starts only in a running pass, below the concurrency, when its phase may run (S4, S6, S7, S8, S11, S13).
  func checkPlace(of start: RunStart) throws {
    let name = start.initializer
    try require(start.run > lastRun, "run \(start.run) starts after run \(lastRun)")
    try require(passes[start.phase] == start.pass, "\(name) starts in pass \(start.pass), which isn't in flight")
    try require(
      !takesSlot(name) || slotsTaken < machine.configuration.concurrency,
      "S6: \(name) starts while \(slotsTaken) are running or stopping")
    if let group = groupOf(name), let places = machine.configuration.groups[group] {
      let taken = placesTaken(in: group, start.phase, besides: name)
      try require(taken < places, "S33: \(name) starts while \(taken) of the group \(group) have places")
    }
    try require(runs.values.allSatisfy { $0.phase == start.phase }, "the runs of the two phases overlap")
    try require(
      !runs.values.contains { $0.name == name }, "S13: \(name) starts before its previous run has stopped")
    try require(isStopping[start.phase] != true, "S8: \(name) starts in a pass that is stopping")
    try require(isCancelled[start.phase] != true, "S11: \(name) starts in a cancelled pass")
    try require(!isEnding, "S24: \(name) starts during shutdown")
    try require(!isSkipped(name), "S28: \(name) starts although it is skipped")
    try require(isSelected(name), "S28: \(name) starts although it isn't selected")
    try require(doneInPass[start.phase]?.contains(name) == false, "S7: \(name) runs twice in pass \(start.pass)")
    try require(
      start.attempt > 1 || done[start.phase]?.contains(name) != true,
      "S9, S26: \(name) has completed, and nobody wants it again")
    guard start.phase == .active else { return }
    try require(isActive, "S11: \(name) starts in a pass of an inactive app")
    try require(
      passes[.launch] == nil && record.launch.state == .complete, "S4: \(name) starts before launch is complete")
  }

  /// Whether a run of the name takes a slot: one that only waits takes none (S6).
  func takesSlot(_ name: String) -> Bool {
    switch fixed[name] {
    case .waitFor, .process: false
    case .inProcess, .command, .worker, nil: true
    }
  }

  /// The number of runs that take a slot.
  var slotsTaken: Int { runs.values.count { $0.takesSlot } }

  func groupOf(_ name: String) -> String? { machine.initializer(named: name)?.declaration.group }

  /// Returns how many runs of a group run, stop, or are between two attempts in this phase's pass (S13, S16, S33).
  ///
  /// Attempts of an active pass continue only after a launch that was requested in the meantime, so their places don't delay it.
  func placesTaken(in group: String, _ phase: Phase, besides name: String? = nil) -> Int {
    let running = runs.values.filter { $0.group == group }
    let delayed = snapshots.values.count { snapshot in
      let other = snapshot.declaration.name
      return snapshot.status == .waiting && snapshot.nextAttempt != nil && failuresInPass[phase]?[other] != nil
        && other != name && groupOf(other) == group
    }
    return running.count + delayed
  }

  /// Checks that a dependency has completed in this pass or, if the pass may use earlier completions, in an earlier one (S6, S4, S9, S19).
  func checkDependencies(of start: RunStart) throws {
    if start.attempt == 1 { try checkDependencies(of: start.initializer, start.phase) }
  }

  func checkDependencies(of name: String, _ phase: Phase) throws {
    guard let declaration = machine.initializer(named: name)?.declaration else {
      throw Broken(description: "\(name) starts, which isn't declared")
    }
    for dependency in declaration.dependencies {
      let isLaunch = machine.initializer(named: dependency)?.declaration.priority == .appLaunch
      let isDone =
        doneInPass[phase]?.contains(dependency) == true || done[phase]?.contains(dependency) == true
        || (isLaunch && done[.launch]?.contains(dependency) == true) || isSkipped(dependency)
      try require(isDone, "S6: \(name) starts before its dependency \(dependency) has completed")
    }
    for predecessor in predecessors(of: declaration) {
      try require(!isAhead(predecessor, in: phase), "S6: \(name) starts before the end of \(predecessor)")
    }
    guard phase == .launch else { return }
    try require(!isUndecided(above: name), "S30: \(name) starts before launch has decided everything above it")
  }

  /// Returns the names of the same phase after whose end an initializer starts.
  private func predecessors(of declaration: Declaration) -> [String] {
    declaration.after.filter { machine.initializer(named: $0)?.declaration.priority == declaration.priority }
  }

  /// Returns whether an initializer runs in the pass in flight, or waits for its turn in it.
  private func isAhead(_ name: String, in phase: Phase) -> Bool {
    if runs.values.contains(where: { $0.name == name && $0.phase == phase }) { return true }
    // In launch, an active initializer may wait for the next active pass.
    guard let snapshot = snapshots[name], snapshot.declaration.priority == phase.priority else { return false }
    return snapshot.status == .waiting
  }

  func checkProvider(of start: RunStart) throws {
    if let worker = start.worker {
      try require(
        workers[worker]?.names.contains(start.initializer) == true,
        "S20: \(start.initializer) starts at worker \(worker), which doesn't provide it")
    } else {
      let kind = fixed[start.initializer]
      try require(kind != nil && kind != .worker, "S20: \(start.initializer) starts without a worker")
    }
  }

  /// Checks that a record is consistent, and contains a change (S1).
  mutating func carryOut(_ record: StateRecord, _ changed: [StateRecord.Aspect]) throws {
    let composite: PhaseState
    if case .failed = record.launch.state {
      composite = record.launch.state
    } else if case .failed = record.active.state {
      composite = record.active.state
    } else if record.launch.state == .complete && record.active.state == .complete {
      composite = .complete
    } else {
      composite = .pending
    }
    try require(record.composite == composite, "S1: the composite of \(record)")
    let isReady =
      isActive
      ? composite == .complete
      : record.launch.state == .complete && !machine.initializers.contains { $0.declaration.priority == .appActive }
    try require(record.isReady == isReady, "S1: ready of \(record)")
    var differs: [StateRecord.Aspect] = []
    if record.launch.state != self.record.launch.state { differs.append(.launch) }
    if record.active.state != self.record.active.state { differs.append(.active) }
    if composite != self.record.composite { differs.append(.composite) }
    if record.lifecycle != self.record.lifecycle { differs.append(.lifecycle) }
    let isNew = !differs.isEmpty || record.isReady != self.record.isReady
    try require(isNew, "S1: the same states are published twice in a row")
    try require(differs == changed, "S1: \(changed) published as changed, not \(differs)")
    try require(!hasStartedRuns, "S1: a run starts before the states that allow it are published")
    self.record = record
  }

  /// Checks that a pass ends as its runs determine (S8, S11, S12).
  func checkOutcome(_ outcome: PassStatus, _ number: PassID, _ phase: Phase) throws {
    let wasCancelled = isCancelled[phase] == true
    switch outcome {
    case .started: throw Broken(description: "pass \(number) ends as started")
    case .cancelled:
      try require(wasCancelled || startedInStep.contains(number), "S11: pass \(number) is cancelled without a reason")
    case .complete:
      try require(!wasCancelled, "S11: the cancelled pass \(number) completes")
      try require(isStopping[phase] != true, "S8: pass \(number) completes after an error")
      let failed = mustFailWith[phase, default: []].sorted()
      try require(failed.isEmpty, "S28: pass \(number) completes although \(failed) failed")
      if phase == .active { try require(isActive, "S11: an active pass completes in an inactive app") }
      for snapshot in machine.initializers where snapshot.declaration.priority == phase.priority {
        let name = snapshot.declaration.name
        let isThrough = done[phase]?.contains(name) == true || doneInPass[phase]?.contains(name) == true
        let isLeftOut =
          isSkipped(name) || !isSelected(name) || stoppedByPerson.contains(name) && fixed[name] == .process
        try require(
          snapshot.declaration.isOptional || isThrough || isLeftOut, "S12: pass \(number) completes without \(name)")
      }
    case .failed(let failure):
      try require(!wasCancelled, "S11: the cancelled pass \(number) fails")
      if phase == .active, self.outcome[.launch] == .failed(failure) { return }
      for each in failure.all { try checkFailure(each, number, phase) }
      let isKept = machine.configuration.keepsGoing
      try require(isKept || failure.all == [failure], "S8: pass \(number) fails with several errors")
      let missing = mustFailWith[phase, default: []].subtracting(failure.all.map(\.initializer)).sorted()
      try require(missing.isEmpty, "S28: the error of pass \(number) doesn't list \(missing)")
      let names = failure.all.map(\.initializer)
      try require(Set(names).count == names.count, "S28: the error of pass \(number) lists one initializer twice")
    }
  }

  private func checkFailure(_ failure: Failure, _ number: PassID, _ phase: Phase) throws {
    switch failure {
    case .initializerFailed(let name, let cause):
      let isBound = machine.initializer(named: name)?.declaration.process != nil
      let known =
        causes[name]?.contains(cause) == true || cause == .workerLost && (!isBound || mayBeLost.contains(name))
      try require(known, "S8: pass \(number) fails with \(failure), which didn't happen")
    case .missingDependency(let name, let dependency):
      // A reload may have changed that since, but the failure stays one of the pass.
      if missing[phase]?.contains(failure) == true { return }
      let declaration = machine.initializer(named: name)?.declaration
      try require(declaration?.dependencies.contains(dependency) == true, "S5: \(failure)")
      // An active pass fails with the error of a launch initializer, and also with the reason why it wasn't run.
      let isOld =
        phase == .active && snapshots.values.contains { $0.declaration.priority == .appLaunch && $0.failure == failure }
      try require(isOld || machine.initializer(named: dependency) == nil, "S20: \(failure), but it is declared")
    case .circularDependency(let cycle):
      try require(cycle.count > 1 && cycle.first == cycle.last, "S2: the cycle \(cycle) is incomplete")
      for (name, next) in zip(cycle, cycle.dropFirst()) {
        // An initializer that was removed while the pass was stopping can't be queried any more.
        guard let declaration = machine.initializer(named: name)?.declaration else { continue }
        try require(
          (declaration.dependencies + declaration.after).contains(next), "S2: \(name) doesn't wait for \(next)")
      }
    case .duplicateInitializer(let name): try require(fixed[name] != nil, "S2: \(failure)")
    case .several: throw Broken(description: "S28: several errors within several")
    }
  }

  /// Returns whether the failure is a missing dependency, and still missing.
  func isMissing(_ failure: Failure) -> Bool {
    guard case .missingDependency(let name, let dependency) = failure else { return false }
    let declaration = machine.initializer(named: name)?.declaration
    return declaration?.dependencies.contains(dependency) == true && machine.initializer(named: dependency) == nil
  }

  /// Checks that the first notice about an initializer after its run has its outcome, even if it already waits for the next run.
  func checkEnd(_ snapshot: InitializerSnapshot, _ outcome: RunRecord.Outcome) throws {
    let isTold =
      switch outcome {
      case .complete: snapshot.status == .complete
      case .cancelled: snapshot.status == .cancelled
      case .failed: snapshot.status == .failed || snapshot.status == .waiting && snapshot.failure != nil
      }
    try require(isTold, "S2: \(snapshot.declaration.name) is \(snapshot.status) when its run ends \(outcome)")
  }

  /// Checks that a refusal states its reason.
  func check(_ refusal: Refusal, of event: Event) throws {
    switch refusal {
    case .notRunning(let standings):
      for standing in standings {
        try require(
          !runs.values.contains { $0.name == standing.name && $0.told == nil },
          "S34: \(standing.name) runs, and can't be cancelled")
        let snapshot = snapshots[standing.name]
        let isBetweenAttempts = snapshot?.status == .waiting && snapshot?.failure != nil
        try require(!isBetweenAttempts, "S34: \(standing.name) waits for its retry, and can't be cancelled")
        try require(snapshot?.status == standing.status, "S34: \(standing.name) isn't \(standing.status)")
      }
    case .shuttingDown, .nameTaken, .nameResident, .declaredOtherwise, .unknownInitializer: break
    case .stopped(let standings):
      for standing in standings {
        try require(stoppedByPerson.contains(standing.name), "S32: nobody has stopped \(standing.name)")
      }
    case .inactive: try require(!isActive, "S26: the app is active")
    case .leftOut(let skipped, let unselected):
      for (standings, isLeftOut) in [(skipped, isSkipped), (unselected, { !self.isSelected($0) })] {
        for standing in standings {
          try require(isLeftOut(standing.name), "S28: \(standing.name) isn't left out, and can't run again")
          let status = snapshots[standing.name]?.status
          try require(status == standing.status, "S28: \(standing.name) isn't \(standing.status)")
        }
      }
    }
  }

  /// Checks the invariants between any two steps.
  func check(after event: Event) throws {
    try require(
      untold.keys.allSatisfy { snapshots[$0] == nil }, "S2: the ends of \(untold.keys.sorted()) aren't published")
    try require(expectedEnds.isEmpty, "no record of the end of runs \(expectedEnds.keys.sorted())")
    if let name = freshInStep, let snapshot = snapshots[name], snapshot.status != .waiting {
      try require(snapshot.skipReason == .fresh, "S30: \(name) is fresh, and it is \(snapshot.status)")
    }
    for (name, snapshot) in snapshots where snapshot.skipReason == .fresh {
      try require(leftOut.contains(name), "S30: \(name) is shown as fresh")
    }
    try checkNotices()
    try checkStates()
    try checkStatuses()
    try checkTime()
    try checkIdleness()
    if event == .activated(hold: nil) { try checkActivation() }
    if case .runsCancelled(let names, _) = event {
      try require(
        runs.values.allSatisfy { !names.contains($0.name) || $0.told != nil || startedInStep.contains($0.pass) },
        "S34: a run of \(names) wasn't asked to stop")
    }
    let ends = isEnding && runs.isEmpty
    try require(isFinished == ends, "S24: finish isn't requested exactly when nothing runs any more")
    let isThrough = areStopsRequested && completions.isEmpty && stopping == nil
    try require(isStopped == isThrough, "S24: the end of stops isn't reported exactly when everything is stopped")
    if isFinished { try require(passes.isEmpty, "S24: a pass is in flight after the end") }
  }

  /// Checks that an activation has a pass to wait for: its own, or one that hasn't been cancelled (S10, S14).
  private func checkActivation() throws {
    guard let number = machine.states.active.pass else { throw Broken(description: "S10: activate returns no pass") }
    if startedInStep.contains(number) { return }
    let isJoined = passes[.active] == number && isCancelled[.active] != true && isStopping[.active] != true
    let isAskedFor = number > lastPass[.active] ?? 0 && machine.knowledge(of: number) == .underWay
    try require(isJoined || isAskedFor, "S14: activate returns pass \(number), which is stopping or has ended")
  }

  /// Returns a snapshot without the policies that clients don't see: these change without a notice.
  private func visible(_ snapshot: InitializerSnapshot) -> InitializerSnapshot {
    let declaration = snapshot.declaration
    var visible = snapshot
    visible.declaration = Declaration(
      declaration.name, priority: declaration.priority, dependencies: declaration.dependencies,
      retry: RetryPolicy(attempts: declaration.retry.attempts), isOptional: declaration.isOptional,
      group: declaration.group)
    visible.declaration.process = declaration.process
    visible.declaration.after = declaration.after
    visible.declaration.freshness = declaration.freshness
    return visible
  }

  private func checkNotices() throws {
    try require(snapshots.count == machine.initializerCount, "initializers without a notice")
    try require(
      replayed.map(visible) == machine.initializers.map(visible),
      "the notices give other snapshots, or another order, than the machine")
    for snapshot in machine.initializers {
      let name = snapshot.declaration.name
      try require(
        snapshots[name].map(visible) == visible(snapshot), "the last notice of \(name) differs from its snapshot")
    }
  }

  private func checkStates() throws {
    let states = machine.states
    try require(states.changes(since: record).isEmpty, "S1: a change of the states wasn't published")
    try require(states.lifecycle == (isActive ? .active : .inactive), "S23: the app is \(states.lifecycle)")
    try require(machine.holdCount == holds.count, "S23: \(machine.holdCount) holds, not \(holds.count)")
    for (phase, state) in [(Phase.launch, states.launch), (.active, states.active)] {
      if let pass = passes[phase] {
        try require(state.state == .pending, "S10: \(phase) is \(state.state) during pass \(pass)")
        try require(machine.knowledge(of: pass) == .underWay, "S10: pass \(pass) isn't in flight")
      } else {
        let expected: PhaseState =
          switch outcome[phase] {
          case .complete: phase == .launch && (isHeldBack || !unhealthy.isEmpty) ? .pending : .complete
          case .failed(let failure): .failed(failure)
          case .cancelled, .started, nil: .pending
          }
        try require(state.state == expected, "\(phase) is \(state.state), but its last pass was \(expected)")
      }
    }
    for (phase, outcome) in endedInStep where passes[phase] == nil {
      try require(
        machine.knowledge(of: lastPass[phase] ?? 0) == .ended(outcome), "S10: wrong outcome of the last pass")
    }
  }

  /// Whether launch isn't complete only because a person has stopped a process (S32).
  var isHeldBack: Bool {
    stoppedByPerson.contains {
      fixed[$0] == .process && isSelected($0) && !isSkipped($0) && done[.launch]?.contains($0) != true
        && machine.initializer(named: $0) != nil
    }
  }

  private func checkStatuses() throws {
    for (number, run) in runs {
      try require(
        run.told != nil || !stoppedByPerson.contains(run.name) || fixed[run.name] != .process,
        "S32: \(run.name) runs, and a person has stopped it")
      try require(machine.initializer(ofRun: number) != nil, "run \(number) isn't in flight")
      if isCancelled[run.phase] == true {
        try require(run.told != nil, "S11: run \(number) of a cancelled pass wasn't asked to stop")
      }
      guard let status = snapshots[run.name]?.status else { continue }
      let expected: InitializerStatus = run.told == nil ? .running : .stopping
      try require(status == expected, "\(run.name) is \(status), not \(expected)")
    }
    for (name, snapshot) in snapshots {
      switch snapshot.status {
      case .running, .stopping:
        try require(runs.values.contains { $0.name == name }, "\(name) is \(snapshot.status), but has no run")
      case .waiting: try require(!passes.isEmpty, "\(name) waits without a pass")
      case .failed: try require(snapshot.failure != nil, "\(name) failed without an error")
      case .notRun: try require(snapshot.blockedBy != nil, "\(name) is notRun without a blocker")
      case .complete: try require(snapshot.failure == nil, "\(name) is complete, but has an error")
      case .idle:
        let isUnselected = snapshot.skipReason == .unselected
        try require(isUnselected == !isSelected(name), "S28: \(name) has the skip reason of a selected one")
      case .skipped: try require(snapshot.skipReason != nil, "S28: \(name) is skipped without a reason")
      case .cancelled: break
      }
      let isLeftOut = snapshot.status == .skipped && leftOut.contains(name)
      try require(isSkipped(name) == (snapshot.status == .skipped) || isLeftOut, "S28: \(name) is \(snapshot.status)")
      let isStale = stale.contains(name) && (snapshot.status == .complete || snapshot.skipReason == .fresh)
      try require(
        snapshot.isStale == isStale, "S26: \(name) is \(isStale ? "stale" : "not stale"), and shown otherwise")
      let isAvailable = workers.values.contains { $0.names.contains(name) } || (fixed[name] ?? .worker) != .worker
      try require(snapshot.isAvailable == isAvailable, "wrong availability of \(name): \(snapshot.isAvailable)")
    }
  }

  /// Checks that every wait for a time has a deadline.
  private func checkTime() throws {
    let next = machine.nextDeadline
    let isDeferred = machine.configuration.defersPlanning
    try require(isDeferred || !machine.isPlanningDue, "a pass wasn't planned again")
    try require(!machine.isPlanningDue || next == .zero, "there is no deadline to plan a pass again")
    for (number, run) in runs {
      if let deadline = run.deadline, run.told == nil {
        try require(next.map { $0 <= deadline } == true, "S15: there is no deadline for the timeout of run \(number)")
      }
      if let toldAt = run.toldAt, !run.isKilled {
        let grace = toldAt + machine.configuration.cancelGrace
        try require(next.map { $0 <= grace } == true, "S13: there is no deadline for the grace period of run \(number)")
      }
    }
    try require(stopping == nil || next != nil, "S24: there is no deadline for the current stop")
    let waitsForLaunch = passes[.launch] == nil && record.launch.state == .pending
    let waitsForProcess = snapshots.values.contains { each in
      each.status == .waiting && !each.isAvailable && each.declaration.process.map { processes[$0] == .alive } == true
        || each.status == .waiting && stoppedByPerson.contains(each.declaration.process ?? each.declaration.name)
    }
    if !passes.isEmpty, runs.isEmpty, checks.isEmpty, !waitsForLaunch, !waitsForProcess {
      try require(next != nil, "pass \(passes) waits for nothing")
    }
  }

  /// Checks that all runs that can start have started (S6, S20).
  private func checkIdleness() throws {
    if machine.isPlanningDue { return }
    for phase in passes.keys where isStopping[phase] != true && isCancelled[phase] != true {
      if phase == .active, passes[.launch] != nil || record.launch.state != .complete { continue }
      if isInDoubt[phase] == true || runs.values.contains(where: { $0.phase != phase }) { continue }
      if hasCycle(in: phase) { continue }
      let hasFailed = { (name: String) in failuresInPass[phase]?[name, default: 0] ?? 0 > 0 }
      let delayed = snapshots.values.count {
        $0.status == .waiting && hasFailed($0.declaration.name) && takesSlot($0.declaration.name)
      }
      let asked = checks.values.filter { $0.phase == phase }.map(\.name)
      let isFull = slotsTaken + delayed + asked.count(where: takesSlot) >= machine.configuration.concurrency
      for snapshot in snapshots.values
      where snapshot.status == .waiting && (snapshot.isAvailable || hasEndedForGood(processOf: snapshot.declaration))
        && !hasFailed(snapshot.declaration.name)
      {
        guard snapshot.declaration.priority == phase.priority, !asked.contains(snapshot.declaration.name),
          !isFull || !takesSlot(snapshot.declaration.name)
        else { continue }
        if let group = snapshot.declaration.group, let places = machine.configuration.groups[group],
          placesTaken(in: group, phase) >= places
        {
          continue
        }
        let isHeldUp =
          snapshot.declaration.dependencies.contains { dependency in
            let isLaunch = snapshots[dependency]?.declaration.priority == .appLaunch
            return done[phase]?.contains(dependency) != true && doneInPass[phase]?.contains(dependency) != true
              && !(isLaunch && done[.launch]?.contains(dependency) == true) && !isSkipped(dependency)
          } || phase == .launch && isUndecided(above: snapshot.declaration.name)
          || predecessors(of: snapshot.declaration).contains { isAhead($0, in: phase) }
        let name = snapshot.declaration.name
        if stoppedByPerson.contains(name), fixed[name] == .process { continue }
        if snapshot.isAvailable {
          try require(isHeldUp, "S6: \(name) could start, but doesn't")
        } else if let next = machine.nextDeadline, next <= now {
          // The initializer fails when the machine is told that time has passed.
          continue
        } else {
          try require(isHeldUp, "S32: \(name) waits for its process, which has ended")
        }
      }
    }
  }

  /// Returns whether its process has ended permanently, and isn't an initializer, which may start it again.
  private func hasEndedForGood(processOf declaration: Declaration) -> Bool {
    guard let process = declaration.process, case .ended? = processes[process] else { return false }
    return fixed[process] != .process && !declaration.hasCondition
  }

  /// Whether the phase's initializers have a cycle.
  private func hasCycle(in phase: Phase) -> Bool {
    var rest = machine.initializers.map(\.declaration).filter { isWanted($0.name, in: phase) }
    var count = 0
    while count != rest.count {
      count = rest.count
      let names = Set(rest.map(\.name))
      rest.removeAll { ($0.dependencies + predecessors(of: $0)).allSatisfy { !names.contains($0) } }
    }
    return !rest.isEmpty
  }
}
