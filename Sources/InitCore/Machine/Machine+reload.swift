internal import InitWords

/// Another manifest: initializers are added, changed and removed in one step (S27).
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
    remove(reload.removed + replaced, at: now)
    if !replaced.isEmpty { for phase in Phase.allCases { replan(phase, at: now) } }
    mayMakeStale = true
    for each in reload.changed { change(each) }
    for each in reload.added { add(each) }
    let selected = updateSelection()
    let ofWork = reload.changed.filter(\.isOfWork).map(\.declaration.name)
    var due = dueAgain(ofWork)
    if reload.withDependents { due = withAllDependents(of: due.launch, due.active) }
    runAgainOrForget(due.launch, .launch, joining: ofWork + added + selected, at: now)
    runAgainOrForget(due.active, .active, joining: ofWork + added + selected, at: now)
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
    groups = settings.groups
  }

  /// Removes names, even those of a connected worker, and stops their runs (S21).
  private mutating func remove(_ names: [String], at now: Instant) {
    for name in names {
      if let run = registry[name]?.inFlight { stop(run, reason: .unregistered, at: now) }
      release(name)
      for phase in Phase.allCases { self[phase].due.remove(name) }
    }
    forget(names)
  }

  /// Takes a name away from the worker that provides it.
  private mutating func release(_ name: String) {
    if case .worker(let owner, _, _)? = registry[name]?.provider { provided[owner]?.remove(name) }
    registry[name]?.provider = nil
  }

  private mutating func change(_ change: Reload.Change) {
    let name = change.declaration.name
    guard let index = registry.index(of: name) else { return }
    if change.kind != registry[index].kind { release(name) }
    let old = registry[index]
    let provider = change.kind == .worker ? old.provider : .resident
    var now = change.declaration
    if change.kind == .worker, old.kind == .worker, let before = old.fixed, old.wasProvided {
      now = now.keeping(what: old.declaration, hasOtherThan: before)
    }
    declaredBytes += now.nameBytes - old.declaration.nameBytes
    registry[index] = old.redeclared(change.declaration, change.kind, provider, as: now)
    if change.isOfWork { registry[index].fingerprint = nil }
    if !now.hasStop {
      registry[index].completion = nil
    } else if old.outcome == .complete || old.outcome == .skipped(.fresh), old.completion == nil {
      recordCompletion(of: index)
    }
    for phase in Phase.allCases { self[phase].pass?.fresh.insert(name) }
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
    declaredBytes += addition.declaration.nameBytes
    for phase in Phase.allCases { self[phase].pass?.fresh.insert(name) }
    touch(name)
  }

  /// Returns the changed initializers that have completed, or run, in launch, and those that have in the active phase.
  private func dueAgain(_ names: [String]) -> (launch: [InitializerIndex], active: [InitializerIndex]) {
    let indexes = names.compactMap { registry.index(of: $0) }
    func isDue(_ index: InitializerIndex, _ phase: Phase) -> Bool {
      (phase == .launch ? registry[index].isDoneInLaunch : registry[index].isDoneInActive)
        || registry[index].inFlight.flatMap { runs[$0] }?.phase == phase
    }
    return (indexes.filter { isDue($0, .launch) }, indexes.filter { isDue($0, .active) })
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
      if registry[index].outcome == .complete, !registry[index].isDoneInLaunch, !registry[index].isDoneInActive {
        registry[index].outcome = .idle
      }
      touch(index)
    }
    join(phase, joining, at: now)
  }
}

extension Declaration {
  /// Returns this declaration with the policies of `worker` that differ from those of `base`, because a worker has given them.
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
