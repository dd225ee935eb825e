internal import InitWords

/// Processes whose start is an initializer, and processes that register initializers (S32).
extension Machine {
  /// Undoes the completion of an initializer whose process has ended: it joins the pass in flight, or a new one begins (S19, S22).
  ///
  /// Dependents that haven't started wait for its new run; the others run again after it, if it is declared so.
  mutating func handleProcessEnd(of name: String, at now: Instant) {
    recovered.remove(name)
    guard !isShuttingDown, let index = registry.index(of: name) else { return }
    guard registry[index].kind == .process, registry[index].undo() else { return }
    dropEffect(of: index)
    // If the initializer already runs again in the pass in flight, that run restarts the process; one restart is enough (S26, S27).
    if launch.due.contains(name) { launch.outdated.insert(name) }
    let reruns = registry[index].declaration.rerunsDependents
    let due = reruns ? withAllDependents(of: [index], []) : (launch: [], active: [])
    let launched = due.launch.filter { $0 != index && hasStarted($0, in: .launch) }
    let active = due.active.filter { hasStarted($0, in: .active) }
    runOutdatedNow(above: name)
    runAgainOrForget(runAgainInPass(launched, .launch), .launch, joining: [name], at: now)
    runAgainOrForget(runAgainInPass(active, .active), .active, joining: [name], at: now)
    if !configuration.defersPlanning { planIfStale(at: now) }
    touch(name)
  }

  /// Runs changed initializers with `inputs` or `freshFor` in the pass in flight, if that pass starts the process again and the process
  /// depends on them, directly or through others: a server doesn't start before a migration above it (S30).
  private mutating func runOutdatedNow(above process: String) {
    let outdated = launch.outdated.filter { $0 != process && registry[$0]?.declaration.freshness != nil }
    guard !outdated.isEmpty else { return }
    let later = Set(runAgainInPass(outdated.sorted().compactMap { registry.index(of: $0) }, .launch))
    for name in outdated where registry.index(of: name).map(later.contains) == false {
      launch.due.remove(name)
      launch.outdated.remove(name)
    }
  }

  /// Records that a process is ready although no run waits for that; launch may have failed because it wasn't.
  mutating func handleRecovery(of name: String, at now: Instant) {
    guard !isShuttingDown, registry[name]?.kind == .process else { return }
    recovered.insert(name)
    relaunchIfRecovered(at: now)
  }

  /// Launches again if launch has failed, and only because of processes that are all ready now.
  mutating func relaunchIfRecovered(at now: Instant) {
    guard !recovered.isEmpty, !launch.hasPass, launch.next == nil, case .failed(let failure) = launch.state else {
      return
    }
    let isOver = failure.all.allSatisfy { failure in
      guard case .initializerFailed(let name, _) = failure else { return false }
      return recovered.contains(name)
    }
    if isOver { requestLaunch(at: now) }
  }

  /// Records the state of a process, which bounds how long the initializers that it registers wait.
  mutating func handleProcessChange(of name: String, _ standing: ProcessStanding, at now: Instant) {
    guard !isShuttingDown, processes[name, default: .idle] != standing else { return }
    processes[name] = standing == .idle ? nil : standing
    for phase in Phase.allCases {
      unbindWaits(phase) { $0.declaration?.process == name }
      bindWaits(phase, at: now)
    }
  }

  /// Bounds how long initializers wait for their registration by their processes.
  mutating func bindWaits(_ phase: Phase, at now: Instant) {
    guard !processes.isEmpty else { return }
    for index in inPass(phase, { $0.unprovided }) ?? [] { bindWait(of: index, phase, at: now) }
  }

  /// Bounds how long an initializer waits to be registered by its process: by its timeout while the process lives; once the process has
  /// ended permanently, the wait fails at once.
  mutating func bindWait(of index: PlanIndex, _ phase: Phase, at now: Instant) {
    guard let declaration = inPass(phase, { $0.plan.items[index].declaration }) ?? nil, declaration.process != nil
    else {
      return
    }
    let key = Deadline.process(phase, declaration.name)
    switch standing(ofProcessOf: declaration, phase) {
    case .idle: deadlines[key] = nil
    case .alive: if deadlines[key] == nil { deadlines[key] = declaration.timeout.map { now + $0 } }
    case .ended: deadlines[key] = now
    }
    let isBound = deadlines[key] != nil
    inPass(phase) { if isBound { $0.bound.insert(declaration.name) } else { $0.bound.remove(declaration.name) } }
  }

  /// Removes the bounds of initializers that don't wait for their processes any more.
  mutating func unbindWaits(_ phase: Phase, where isOver: (Plan.Item) -> Bool = { _ in true }) {
    guard inPass(phase, { $0.bound.isEmpty }) == false, let pass = self[phase].pass else { return }
    for name in pass.bound {
      if let index = pass.plan.index(of: name, registry.index(of: name)), !isOver(pass.plan.items[index]) { continue }
      self[phase].pass?.bound.remove(name)
      deadlines[.process(phase, name)] = nil
    }
  }

  /// Returns the state of the process of an initializer.
  ///
  /// A process that has ended is started by its own initializer, if the pass still has to run that.
  private func standing(ofProcessOf declaration: Declaration, _ phase: Phase) -> ProcessStanding {
    guard let name = declaration.process, let standing = processes[name] else { return .idle }
    guard case .ended = standing, let index = registry.index(of: name), registry[index].kind == .process else {
      return standing
    }
    return self[phase].pass?.isUnderWay(with: name, index) == true ? .idle : standing
  }

  /// Returns whether `registrationTimeout` bounds how long an item waits for its registration (S20).
  func isBoundByTimeout(_ item: Plan.Item, _ phase: Phase) -> Bool {
    guard !stopped.contains(item.declaration?.process ?? item.name) else { return false }
    return item.declaration.map { standing(ofProcessOf: $0, phase) == .idle } ?? true
  }

  /// Fails an initializer whose process hasn't registered it in time, or has ended permanently.
  mutating func giveUpProcess(of name: String, _ phase: Phase, at now: Instant) {
    self[phase].pass?.bound.remove(name)
    guard let pass = self[phase].pass, pass.stage == .running,
      let found = pass.unprovided.firstIndex(where: { pass.plan.items[$0].name == name })
    else { return }
    let index = pass.unprovided[found]
    guard !pass.standings[index].isTerminal, let declaration = pass.plan.items[index].declaration,
      let process = declaration.process
    else { return }
    let cause: Cause
    switch standing(ofProcessOf: declaration, phase) {
    case .idle: return
    case .alive: cause = .timeout(after: declaration.timeout ?? .zero, message: "\(process) has not registered it")
    case .ended(let exit): cause = exit
    }
    self[phase].pass?.unprovided.remove(at: found)
    failItem(index, phase, with: .initializerFailed(name, cause.bounded), at: now)
  }
}
