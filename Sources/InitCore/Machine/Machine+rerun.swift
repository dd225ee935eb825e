internal import InitWords

/// Initializers that run again on request, and their dependents (S26).
extension Machine {
  /// Runs initializers again, in a pass of their phase after the one in flight: all or none.
  mutating func handleRerun(of names: [String], withDependents: Bool, at now: Instant) throws(Refusal) {
    guard !isShuttingDown else { throw .shuttingDown }
    var indexes: [InitializerIndex] = []
    for name in names {
      guard let index = registry.index(of: name) else { throw .unknownInitializer(name) }
      indexes.append(index)
    }
    let skipped = indexes.filter { registry[$0].isLeftOut }
    let unselected = indexes.filter { !registry[$0].isLeftOut && !registry[$0].isSelected }
    guard skipped.isEmpty, unselected.isEmpty else {
      throw .leftOut(skipped: skipped.map { standing(of: $0) }, unselected: unselected.map { standing(of: $0) })
    }
    guard stopped.isDisjoint(with: names) else {
      throw .stopped(indexes.filter { stopped.contains(registry.name(at: $0)) }.map { standing(of: $0) })
    }
    let active = indexes.filter { registry[$0].declaration.priority == .appActive }
    guard lifecycle == .active || active.isEmpty else { throw .inactive(active.map { registry.name(at: $0) }) }
    let due = dueAgain(indexes, withDependents: withDependents)
    for (phase, indexes) in [(Phase.launch, due.launch), (.active, due.active)] {
      for name in indexes.map({ registry.name(at: $0) }) {
        self[phase].requested[name] = names.contains(name) || self[phase].requested[name] == true
      }
    }
    let newest = self.active.newest
    if !due.launch.isEmpty { runAgain(due.launch, .launch, at: now) }
    // A retry of launch may have requested an active pass (S9), which runs all of them.
    if !due.active.isEmpty, self.active.newest == newest { runAgain(due.active, .active, at: now) }
  }

  /// Returns the name and status of an initializer.
  func standing(of index: InitializerIndex) -> InitializerStanding {
    InitializerStanding(registry.name(at: index), status(of: index))
  }

  /// Returns the passes in which initializers run again after `rerunRequested`, in the order of their phases.
  public func passes(rerunning names: [String], withDependents: Bool) -> [PassID] {
    let due = dueAgain(names.compactMap { registry.index(of: $0) }, withDependents: withDependents)
    return [due.launch.isEmpty ? nil : launch.newest, due.active.isEmpty ? nil : active.newest].compactMap(\.self)
  }

  /// Returns the initializers that a request runs again in launch, and in an active pass.
  private func dueAgain(
    _ indexes: [InitializerIndex], withDependents: Bool
  ) -> (launch: [InitializerIndex], active: [InitializerIndex]) {
    let launched = indexes.filter { registry[$0].declaration.priority == .appLaunch }
    let active = indexes.filter { registry[$0].declaration.priority == .appActive }
    return withAllDependents(
      of: withDependents ? (launched, active) : (spreading(launched), []), besides: (launched, active))
  }

  /// Returns the processes whose dependents run again after each of their restarts (S32).
  func spreading(_ launched: [InitializerIndex]) -> [InitializerIndex] {
    launched.filter { registry[$0].kind == .process && registry[$0].declaration.rerunsDependents }
  }

  /// Adds to initializers that run again the dependents of some of them.
  func withAllDependents(
    of some: (launch: [InitializerIndex], active: [InitializerIndex]),
    besides all: (launch: [InitializerIndex], active: [InitializerIndex])
  ) -> (launch: [InitializerIndex], active: [InitializerIndex]) {
    guard !some.launch.isEmpty || !some.active.isEmpty else { return all }
    let more = withAllDependents(of: some.launch, some.active)
    return (all.launch + more.launch, all.active + more.active)
  }

  /// Adds the direct and indirect dependents to initializers that run again in launch, and in an active pass, unless they never run (S28).
  func withAllDependents(
    of launched: [InitializerIndex], _ active: [InitializerIndex]
  ) -> (launch: [InitializerIndex], active: [InitializerIndex]) {
    let dependents = Dependents(registry)
    let ofLaunch = dependents.reached(from: launched, in: .launch, registry).filter { registry[$0].isSelected }
    var activeToo = active + dependents.reached(from: active, in: .active, registry).filter { registry[$0].isSelected }
    // The next activation runs these initializers in any case.
    if lifecycle == .active { activeToo += ofLaunch.filter { registry[$0].declaration.priority == .appActive } }
    return (launched + ofLaunch, activeToo)
  }

  /// Requests a pass of a phase in which these initializers run again: the next pass, if one is in flight.
  mutating func runAgain(_ indexes: [InitializerIndex], _ phase: Phase, at now: Instant) {
    let names = indexes.map { registry.name(at: $0) }
    self[phase].due.formUnion(names)
    self[phase].outdated.subtract(names)
    guard self[phase].next == nil else { return }
    switch phase {
    case .launch: requestLaunch(at: now)
    case .active: requestActive(isEntry: false, at: now)
    }
  }

  /// Lets initializers whose results don't count any more run again in the pass in flight, if it has still to start something that depends on
  /// them: a dependency completes first (S6).
  ///
  /// The others run in the next pass, because each initializer runs at most once in a pass (S7).
  ///
  /// - Returns: the initializers that the next pass has to run.
  mutating func runAgainInPass(_ indexes: [InitializerIndex], _ phase: Phase) -> [InitializerIndex] {
    guard !indexes.isEmpty, inPass(phase, { $0.stage == .running }) == true else { return indexes }
    let open = notStarted(phase)
    let needed = dependencies(of: open)
    for index in indexes where needed.contains(index) && !open.contains(index) {
      let name = registry.name(at: index)
      if isRunning(index, in: phase) {
        self[phase].pass?.renewed.insert(name)
      } else {
        registry[index].undo(in: phase)
        self[phase].pass?.forgetCompletion(of: name, index)
      }
      self[phase].pass?.isStale = true
    }
    return indexes.filter { !needed.contains($0) }
  }

  /// Returns the initializers of a phase that its pass in flight still has to start.
  private func notStarted(_ phase: Phase) -> Set<InitializerIndex> {
    guard let pass = self[phase].pass else { return [] }
    let started = Set(runs.values.lazy.filter { $0.pass == pass.id }.map(\.initializer))
    return Set(
      registry.indexes.filter { index in
        let entry = registry[index]
        guard entry.declaration.priority == phase.priority, entry.isSelected, !entry.isDone(in: phase) else {
          return false
        }
        let name = registry.name(at: index)
        return !stopped.contains(name) && !started.contains(name) && !pass.isThrough(with: name, index)
          && !pass.isBetweenAttempts(of: name, index)
      })
  }

  /// Returns the direct and indirect dependencies of initializers, and the initializers themselves.
  private func dependencies(of indexes: Set<InitializerIndex>) -> Set<InitializerIndex> {
    var found = indexes
    var open = Array(indexes)
    while let index = open.popLast() {
      if registry[index].isLeftOut { continue }
      for name in registry[index].declaration.dependencies {
        guard let dependency = registry.index(of: name), found.insert(dependency).inserted else { continue }
        open.append(dependency)
      }
    }
    return found
  }

  /// Drops the completions of initializers that must run again, because their pass begins.
  mutating func undoDue(of phase: Phase) {
    guard !self[phase].due.isEmpty else { return }
    mayMakeStale = true
    for name in self[phase].due {
      if let index = registry.index(of: name) { registry[index].undo(in: phase) }
    }
    self[phase].due = []
    self[phase].outdated = []
  }

  /// Marks the completed dependents of an initializer as stale when its run starts: they may have used a result that the run replaces.
  mutating func makeDependentsStale(of index: InitializerIndex, _ phase: Phase) {
    let dependents = inPass(phase) { $0.dependents } ?? nil
    let known = dependents ?? Dependents(registry)
    if dependents == nil { inPass(phase) { $0.dependents = known } }
    for dependent in known.reached(from: [index], in: phase, registry) {
      let entry = registry[dependent]
      let isDone = phase == .launch ? entry.isDoneInLaunch || entry.isDoneInActive : entry.isDoneInActive
      guard isDone || entry.inFlight != nil, !entry.isStale else { continue }
      registry[dependent].isStale = true
      touch(dependent)
    }
  }
}
