internal import InitWords

/// A new manifest: initializers are added, changed and removed in one step (S27).
extension Machine {
  /// Adds, changes and removes initializers: all or nothing.
  mutating func handleReload(_ reload: Reload, at now: Instant) throws(Refusal) {
    guard !isShuttingDown else { throw .shuttingDown }
    try check(reload)
    if let settings = reload.settings { apply(settings) }
    let inFlight = Phase.allCases.compactMap { self[$0].pass?.id }
    let added = reload.added.map(\.declaration.name)
    // If only a worker had registered the name, and it has disconnected, nothing is kept of the old initializer.
    let replaced = added.filter { registry[$0].map { $0.provider == nil } == true }
    let removed = reload.removed + replaced
    remove(removed, at: now)
    // Otherwise the new initializer of a name would have the failure of the old one.
    if !Set(removed).isDisjoint(with: added) { for phase in Phase.allCases { replan(phase, at: now) } }
    mayMakeStale = true
    for each in reload.changed { change(each, at: now) }
    for each in reload.added { add(each) }
    let selected = updateSelection()
    let ofWork = reload.changed.filter(\.isOfWork).map(\.declaration.name)
    let changed = dueAgain(ofWork)
    // A process whose dependents run again after each of its restarts is restarted (S32).
    let restarted = spreading(changed.launch)
    let due = withAllDependents(
      of: reload.withDependents ? changed : (launch: restarted, active: []), besides: changed)
    // With dependents, one of several names may have to run again because of another one.
    let isSeveral =
      (reload.withDependents || !restarted.isEmpty) && changed.launch.count + changed.active.count > 1
    let outdated = isSeveral ? [] : [outdated(changed.launch, .launch), outdated(changed.active, .active)]
    let joining = ofWork + added + selected
    runAgainOrForget(runAgainInPass(due.launch, .launch), .launch, joining: joining, at: now)
    runAgainOrForget(runAgainInPass(due.active, .active), .active, joining: joining, at: now)
    for (phase, names) in zip([Phase.launch, .active], outdated) {
      self[phase].outdated.formUnion(names.intersection(self[phase].due))
    }
    for phase in Phase.allCases where self[phase].pass.map({ inFlight.contains($0.id) }) == true {
      self[phase].pass?.isStale = true
    }
    planIfStale(at: now)
    for name in reload.changed.map(\.declaration.name) + added { touch(name) }
  }

  private func check(_ reload: Reload) throws(Refusal) {
    for name in reload.removed + reload.changed.map(\.declaration.name) {
      guard let entry = registry[name] else { throw .unknownInitializer(name) }
      guard entry.fixed != nil, entry.kind != .inProcess else { throw .nameResident(name) }
    }
    let removed = Set(reload.removed)
    for addition in reload.added {
      guard let entry = registry[addition.declaration.name], !removed.contains(addition.declaration.name) else {
        continue
      }
      if entry.fixed != nil { throw .nameResident(addition.declaration.name) }
      guard entry.provider != nil else { continue }
      guard addition.kind == .worker else { throw .nameTaken(addition.declaration.name) }
      guard
        entry.declaration.priority == addition.declaration.priority,
        entry.declaration.dependencies == addition.declaration.dependencies
      else { throw .declaredOtherwise(addition.declaration) }
    }
  }

  private mutating func apply(_ settings: Reload.Settings) {
    configuration.concurrency = max(1, settings.concurrency)
    configuration.registrationTimeout = settings.registrationTimeout
    configuration.cancelGrace = settings.cancelGrace
    configuration.stopTimeout = settings.stopTimeout
    configuration.keepsGoing = settings.keepsGoing
    configuration.only = settings.only
    groups = settings.groups
  }

  /// Removes names, even those of a connected worker, and stops their runs (S21).
  private mutating func remove(_ names: [String], at now: Instant) {
    for name in names {
      if let run = registry[name]?.inFlight { stop(run, reason: .unregistered, at: now) }
      release(name)
      let index = registry.index(of: name)
      for phase in Phase.allCases {
        // If the name is added again while the pass continues, it isn't complete.
        self[phase].pass?.forgetCompletion(of: name, index)
        self[phase].due.remove(name)
        self[phase].requested[name] = nil
        self[phase].outdated.remove(name)
      }
    }
    forget(names)
  }

  /// Takes a name away from the worker that provides it.
  private mutating func release(_ name: String) {
    if case .worker(let owner, _, _)? = registry[name]?.provider { provided[owner]?.remove(name) }
    registry[name]?.provider = nil
  }

  private mutating func change(_ change: Reload.Change, at now: Instant) {
    let name = change.declaration.name
    guard let index = registry.index(of: name) else { return }
    // A process that isn't ready yet may never be: it is stopped, and starts as it is declared now (S32).
    if change.isOfWork, registry[index].kind == .process, let run = registry[index].inFlight {
      stop(run, reason: .unregistered, at: now)
    }
    if change.kind != registry[index].kind { release(name) }
    let old = registry[index]
    let provider = change.kind == .worker ? old.provider : .resident
    var declaration = change.declaration
    if change.kind == .worker, old.kind == .worker, let before = old.fixed, old.wasProvided {
      declaration = declaration.keeping(what: old.declaration, hasOtherThan: before)
    }
    tally.remove(old.declaration)
    tally.add(declaration)
    registry[index] = old.redeclared(change.declaration, change.kind, provider, as: declaration)
    if change.isOfWork {
      registry[index].fingerprint = nil
      registry[index].isChanged = true
    }
    if !declaration.hasStop {
      registry[index].completion = nil
    } else if old.outcome == .complete || old.outcome == .skipped(.fresh), old.completion == nil {
      recordCompletion(of: index)
    }
    for phase in Phase.allCases {
      self[phase].pass?.fresh.insert(name)
      // The initializer's condition may have changed.
      self[phase].pass?.admitted.remove(name)
      self[phase].pass?.fingerprints[name] = nil
    }
  }

  private mutating func add(_ addition: Reload.Addition) {
    let name = addition.declaration.name
    remembered.remove(name)
    staleRemembered.remove(name)
    if let known = registry[name] {
      registry[name] = known.redeclared(addition.declaration, .worker, known.provider, as: known.declaration)
      return
    }
    var entry = Entry(
      declaration: addition.declaration, kind: addition.kind, provider: addition.kind == .worker ? nil : .resident,
      isFixed: true)
    // An old run of this name, from before its removal, may still be stopping (S13).
    entry.inFlight = runs.first { $0.value.initializer == name }?.key
    if configuration.skipped.contains(name) { entry.skip(.requested) }
    _ = registry.add(entry)
    tally.add(addition.declaration)
    for phase in Phase.allCases { self[phase].pass?.fresh.insert(name) }
    touch(name)
  }

  /// Returns the changed initializers that have completed, or run, in launch, and the changed ones that have in the active phase.
  private func dueAgain(_ names: [String]) -> (launch: [InitializerIndex], active: [InitializerIndex]) {
    let indexes = names.compactMap { registry.index(of: $0) }
    return (indexes.filter { hasStarted($0, in: .launch) }, indexes.filter { hasStarted($0, in: .active) })
  }

  /// Returns whether an initializer has completed for a phase, or has a run in flight that may complete.
  func hasStarted(_ index: InitializerIndex, in phase: Phase) -> Bool {
    (phase == .launch ? registry[index].isDoneInLaunch : registry[index].isDoneInActive)
      || isRunning(index, in: phase)
  }

  /// Returns whether an initializer has a run in flight that may complete; a run that was asked to stop never does (S12).
  func isRunning(_ index: InitializerIndex, in phase: Phase) -> Bool {
    guard let run = registry[index].inFlight.flatMap({ runs[$0] }) else { return false }
    return run.phase == phase && run.state == .running
  }

  /// Returns which of the changed initializers must run again only because their own work was changed.
  private func outdated(_ changed: [InitializerIndex], _ phase: Phase) -> Set<String> {
    let others = self[phase].due.subtracting(self[phase].outdated)
    return Set(changed.map { registry.name(at: $0) }).subtracting(others)
  }

  /// Requests a pass in which initializers run again, unless the phase waits for its next pass anyway (S19).
  mutating func runAgainOrForget(
    _ due: [InitializerIndex], _ phase: Phase, joining: [String], at now: Instant
  ) {
    let isWanted = phase == .launch || lifecycle == .active
    let isUnderWay = self[phase].pass?.stage == .running || self[phase].next != nil
    let isOwn = due.contains { registry[$0].declaration.priority == phase.priority }
    let isComplete = !self[phase].hasPass && self[phase].state == .complete
    if !due.isEmpty, isWanted, isUnderWay || (isComplete && isOwn) {
      runAgain(due, phase, at: now)
      if isUnderWay { join(phase, joining, at: now) }
      return
    }
    for index in due {
      registry[index].undo(in: phase)
      if !registry[index].isDoneInLaunch, !registry[index].isDoneInActive, !registry[index].isLeftOut {
        switch registry[index].outcome {
        case .complete, .skipped: registry[index].outcome = .idle
        case .idle, .failed, .cancelled, .notRun: break
        }
      }
      touch(index)
    }
    join(phase, joining, at: now)
  }
}

extension Declaration {
  /// Returns this declaration with the policies of `worker` that differ from those of `base`, because a worker has declared them.
  fileprivate func keeping(what worker: Declaration, hasOtherThan base: Declaration) -> Declaration {
    var kept = self
    if worker.timeout != base.timeout, timeout == base.timeout { kept.timeout = worker.timeout }
    if worker.retry != base.retry, retry == base.retry { kept.retry = worker.retry }
    if worker.isOptional != base.isOptional, isOptional == base.isOptional { kept.isOptional = worker.isOptional }
    if worker.isPerProcess != base.isPerProcess, isPerProcess == base.isPerProcess {
      kept.isPerProcess = worker.isPerProcess
    }
    return kept
  }
}
