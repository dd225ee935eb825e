internal import InitWords

/// Initializers that run again on request, and what depends on them (S26).
extension Machine {
  /// Runs initializers again, in a pass of their phase after the one in flight: all or none.
  mutating func handleRerun(of names: [String], withDependents: Bool, at now: Instant) throws(Refusal) {
    guard !isShuttingDown else { throw .shuttingDown }
    var indexes: [InitializerIndex] = []
    for name in names {
      guard let index = registry.index(of: name) else { throw .unknownInitializer(name) }
      indexes.append(index)
    }
    let active = indexes.filter { registry[$0].declaration.priority == .appActive }
    guard lifecycle == .active || active.isEmpty else { throw .inactive(active.map { registry.name(at: $0) }) }
    let launched = indexes.filter { registry[$0].declaration.priority == .appLaunch }
    let due = withDependents ? withAllDependents(of: launched, active) : (launch: launched, active: active)
    let newest = self.active.newest
    if !due.launch.isEmpty { runAgain(due.launch, .launch, at: now) }
    // A retry of launch may have requested an active pass (S9), which runs all of them.
    if !due.active.isEmpty, self.active.newest == newest { runAgain(due.active, .active, at: now) }
  }

  /// The passes in which initializers run again after `rerunRequested`, in the order of their phases.
  public func passes(rerunning names: [String], withDependents: Bool) -> [PassID] {
    let indexes = names.compactMap { registry.index(of: $0) }
    let launched = indexes.filter { registry[$0].declaration.priority == .appLaunch }
    let active = indexes.filter { registry[$0].declaration.priority == .appActive }
    let due = withDependents ? withAllDependents(of: launched, active) : (launched, active)
    return [due.0.isEmpty ? nil : launch.newest, due.1.isEmpty ? nil : self.active.newest].compactMap(\.self)
  }

  /// Adds the direct and indirect dependents to initializers that run again in launch, and in an active pass.
  func withAllDependents(
    of launched: [InitializerIndex], _ active: [InitializerIndex]
  ) -> (launch: [InitializerIndex], active: [InitializerIndex]) {
    let dependents = Dependents(registry)
    let ofLaunch = dependents.reached(from: launched, in: .launch, registry)
    var activeToo = active + dependents.reached(from: active, in: .active, registry)
    // The next activation runs them anyway.
    if lifecycle == .active { activeToo += ofLaunch.filter { registry[$0].declaration.priority == .appActive } }
    return (launched + ofLaunch, activeToo)
  }

  /// Requests a pass of a phase in which these initializers run again: the next one, if one is in flight.
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

  /// Drops the completions of initializers that are due, because their pass begins.
  mutating func undoDue(of phase: Phase) {
    guard !self[phase].due.isEmpty else { return }
    mayMakeStale = true
    for name in self[phase].due {
      if let index = registry.index(of: name) { registry[index].undo(in: phase) }
    }
    self[phase].due = []
    self[phase].outdated = []
  }

  /// Marks what depends on an initializer whose run starts, and has completed before: it may have used what the run replaces.
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
