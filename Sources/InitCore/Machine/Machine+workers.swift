internal import InitWords

/// Workers: registrations, disconnections, and their effect on passes (S18–S22).
extension Machine {
  /// Registers a worker's initializers, all or none, and lets them join running passes (S18, S19, S22).
  mutating func handleRegistration(
    of registrations: [Registration], by worker: WorkerID, process: Int32?, at now: Instant
  ) throws(Refusal) {
    guard !isShuttingDown else { throw .shuttingDown }
    for registration in registrations { try check(registration) }
    let names = registrations.map(\.name)
    let new = names.filter { registry.index(of: $0) == nil }
    let lost = registrations.filter { provide($0, by: worker, process: process, at: now) }
    // Only now, because another name of this registration may need one of them (S6).
    for index in lost.compactMap({ registry.index(of: $0.name) }) { dropEffect(of: index) }
    // Published in the order of registration, as in every snapshot; planning would publish them in the order of the plan.
    for name in new { touch(name) }
    // A selected name that is registered may need others that were left out until now.
    let joining = names + updateSelection()
    join(.launch, joining, at: now)
    join(.active, joining, at: now)
    if !configuration.defersPlanning { planIfStale(at: now) }
    for name in names { touch(name) }
  }

  private func check(_ registration: Registration) throws(Refusal) {
    guard let entry = registry[registration.name] else { return }
    switch entry.provider {
    case nil: break
    case .worker: throw .nameTaken(registration.name)
    case .resident: throw .nameResident(registration.name)
    }
    guard let fixed = entry.fixed else { return }
    let says = registration.declaration(over: fixed)
    guard says.priority == fixed.priority, says.dependencies == fixed.dependencies else {
      throw .declaredOtherwise(fixed)
    }
  }

  /// Records a registration.
  ///
  /// - Returns: whether the initializer had completed in another process, so its effect is gone (S22).
  private mutating func provide(
    _ registration: Registration, by worker: WorkerID, process: Int32?, at now: Instant
  ) -> Bool {
    let name = registration.name
    let known = registry[name]
    let declaration = registration.declaration(over: known?.fixed ?? Declaration(name))
    var entry = known ?? Entry(declaration: declaration, kind: .worker, provider: nil, isFixed: false)
    if known == nil, configuration.skipped.contains(name) { entry.skip(.requested) }
    if !entry.wasProvided { for phase in Phase.allCases { self[phase].pass?.fresh.insert(name) } }
    entry.declaration = declaration
    entry.wasProvided = true
    entry.provider = .worker(worker, process: process, since: now)
    // An old run of this name, from before its removal, may still be stopping (S13).
    if known == nil { entry.inFlight = runs.first { $0.value.initializer == name }?.key }
    let isTakenOver = process == nil || entry.completedBy != process
    let hasLostEffect = declaration.isPerProcess && isTakenOver && entry.undo()
    if known == nil, remembered.remove(name) != nil, !declaration.isPerProcess, !entry.isLeftOut {
      entry.isDoneInLaunch = true
      entry.outcome = .complete
      entry.isStale = staleRemembered.remove(name) != nil
    }
    if let known, known.declaration.dependencies != declaration.dependencies { mayMakeStale = true }
    if !registry.add(entry) { registry[name] = entry }
    if let known { tally.remove(known.declaration) }
    tally.add(declaration)
    provided[worker, default: []].insert(name)
    return hasLostEffect
  }

  /// Records that the effect of an initializer that had completed is gone, with the process that had it (S22, S32).
  mutating func dropEffect(of index: InitializerIndex) {
    mayMakeStale = true
    let name = registry.name(at: index)
    for phase in Phase.allCases where self[phase].pass?.completion(of: name, index) != nil {
      _ = runAgainInPass([index], phase)
    }
  }

  /// Adds a registration to its phase's pass, begins a new pass, or lets it wait for the next one (S19).
  mutating func join(_ phase: Phase, _ names: [String], at now: Instant) {
    if let pass = self[phase].pass {
      for name in names where pass.isThrough(with: name, registry.index(of: name)) {
        self[phase].pass?.again.insert(name)
      }
      self[phase].pass?.isStale = true
      return
    }
    guard self[phase].state == .complete, phase == .launch || lifecycle == .active else { return }
    let isNew = names.contains { name in
      guard let entry = registry[name], entry.isSelected else { return false }
      return entry.declaration.priority == phase.priority && !entry.isDone(in: phase)
    }
    if isNew { begin(phase, isEntry: false, at: now) }
  }

  /// Removes names, all or none (S21).
  mutating func handleUnregistration(of names: [String], by worker: WorkerID?, at now: Instant) throws(Refusal) {
    for name in names {
      guard let entry = registry[name] else { throw .unknownInitializer(name) }
      switch entry.provider {
      case nil: break
      case .worker(let owner, _, _) where owner == worker: break
      case .worker: throw .nameTaken(name)
      case .resident: throw .nameResident(name)
      }
    }
    for name in names {
      if let run = registry[name]?.inFlight { stop(run, reason: .unregistered, at: now) }
      if let worker { provided[worker]?.remove(name) }
      registry[name]?.provider = nil
      if registry[name]?.fixed != nil { touch(name) }
    }
    forget(names.filter { registry[$0]?.fixed == nil })
    updateSelection()
    // Never deferred: if one of these names is registered again, it starts from scratch, and its old completion no longer counts.
    for phase in Phase.allCases { replan(phase, at: now) }
  }

  /// Removes names with one pass over the registry, and publishes their removal.
  mutating func forget(_ names: [String]) {
    guard !names.isEmpty else { return }
    mayMakeStale = true
    for name in names {
      guard let index = registry.index(of: name) else { continue }
      effects.append(.publish(.initializerRemoved(snapshot(of: index))))
      tally.remove(registry[index].declaration)
    }
    let gone = Set(names)
    stopped.subtract(gone)
    for id in runs.keys where runs[id].map({ gone.contains($0.initializer) }) == true {
      runs[id]?.isOfRemovedName = true
    }
    registry.remove(gone)
    for phase in Phase.allCases { self[phase].pass?.plan.forgetInitializerIndexes() }
  }

  /// Handles the disconnection of a worker (S21).
  ///
  /// Its runs have failed; those that were asked to stop count as stopped. Its names stay known.
  mutating func handleDisconnection(of worker: WorkerID, at now: Instant) {
    let lost = provided.removeValue(forKey: worker)?.sorted() ?? []
    for name in lost { registry[name]?.provider = nil }
    // All runs of the worker end in one step. Otherwise the loss of the first one would cancel the others.
    let ids = runs.filter { $0.value.worker == worker }.keys.sorted()
    for id in ids { planIfAway(id, at: now) }
    let over = ids.compactMap { id in runs[id].map { (id, $0) } }
    for (id, _) in over { runs[id] = nil }
    for (id, run) in over { conclude(run, id, .failure(.workerLost), at: now) }
    for name in lost { touch(name) }
  }

  /// Sets a deadline if nothing can start because a worker is missing, or else clears it (S20).
  ///
  /// Starts the time limit for missing workers; if no workers can connect, the pass doesn't wait.
  mutating func watchForWorkers(_ phase: Phase, at now: Instant) {
    // Called in each step: copies no pass.
    guard let isStalled = inPass(phase, { $0.isStalled }) else { return }
    if !isStalled || !isBoundByTimeout(phase) {
      deadlines[.registration(phase)] = nil
    } else if deadlines[.registration(phase)] == nil {
      let patience = configuration.acceptsWorkers ? configuration.registrationTimeout : .zero
      deadlines[.registration(phase)] = now + patience
    }
  }

  /// Returns whether `registrationTimeout` bounds how long the pass waits for one of its items.
  private func isBoundByTimeout(_ phase: Phase) -> Bool {
    guard !processes.isEmpty || !stopped.isEmpty, let pass = self[phase].pass else { return true }
    return pass.unprovided.contains { isBoundByTimeout(pass.plan.items[$0], phase) }
  }

  /// Stops waiting for workers that didn't register in time: declared names have lost their worker, undeclared names are missing (S20).
  mutating func giveUpWaiting(_ phase: Phase, at now: Instant) {
    guard let pass = self[phase].pass else { return }
    let indexes = pass.unprovided.filter { isBoundByTimeout(pass.plan.items[$0], phase) }.sorted()
    self[phase].pass?.unprovided.removeAll(where: Set(indexes).contains)
    // An item may have failed with another item that it depends on.
    for index in indexes where self[phase].pass?.standings[index].isTerminal == false {
      guard let item = self[phase].pass?.plan.items[index], self[phase].pass?.stage == .running else { return }
      if self.index(of: item) != nil, item.declaration != nil {
        failItem(index, phase, with: .initializerFailed(item.name, .workerLost), at: now)
        continue
      }
      let dependents = self[phase].pass?.plan.dependents[index] ?? []
      for dependent in dependents where self[phase].pass?.standings[dependent].isTerminal == false {
        guard let name = self[phase].pass?.plan.items[dependent].name else { return }
        failItem(dependent, phase, with: .missingDependency(initializer: name, dependency: item.name), at: now)
        guard self[phase].pass?.stage == .running else { return }
      }
      inPass(phase) { $0.end(index, as: .blocked, at: now) }
    }
  }
}
