internal import InitWords
import OrderedCollections

/// Passes: how they begin, are planned and end, and how they change the states (S3–S9, S14, S19).
extension Machine {
  /// Allocates the next pass number; one counter serves both phases (S10).
  mutating func newPass() -> PassID {
    lastPass = lastPass.next
    return lastPass
  }

  /// Starts a pass of the initializers that haven't completed; an entry into the active phase first resets the completed ones.
  ///
  /// `isEntry` is true if an active pass executes everything (S4), and false if it executes only incomplete initializers (S19).
  mutating func begin(_ phase: Phase, _ id: PassID? = nil, isEntry: Bool = true, at now: Instant) {
    if phase == .active, isEntry {
      for index in registry.indexes { registry[index].isDoneInActive = false }
    }
    undoDue(of: phase)
    let id = id ?? newPass()
    if isEntry { self[phase].entry = id }
    self[phase].newest = id
    self[phase].state = .pending
    self[phase].pass = Pass(id, phase: phase, isProvisional: phase == .active && !hasLaunched, at: now)
    let requested = self[phase].requested
    self[phase].pass?.forced = requested
    self[phase].requested = [:]
    effects.append(.publish(.pass(id, phase: phase, .started)))
    if self[phase].pass?.isProvisional == false { effects.append(.publish(.passOpened(id))) }
    if phase == .launch {
      recovered = []
      // The pass may run an active initializer whose result others have used in an earlier active pass.
      if active.entry != nil { mayMakeStale = true }
      active.pass?.isProvisional = true
      deadlines[.registration(.active)] = nil
      unbindWaits(.active)
    }
    replan(phase, at: now)
  }

  /// Whether launch and all its initializers are complete: then the plan of an active pass is final from the start, and isn't made twice.
  private var hasLaunched: Bool {
    launch.pass == nil && launch.state == .complete
      && registry.entries.allSatisfy { $0.isDone(in: .launch) || $0.declaration.priority != .appLaunch }
  }

  /// Plans passes again whose names have changed since they were planned.
  ///
  /// - Returns: whether any pass was planned.
  @discardableResult
  mutating func planIfStale(at now: Instant) -> Bool {
    var isPlanned = false
    for phase in Phase.allCases where self[phase].pass?.isStale == true {
      replan(phase, at: now)
      isPlanned = true
    }
    return isPlanned
  }

  /// Plans the pass in flight, for the first time or again, and keeps its results so far (S5, S19, S20).
  mutating func replan(_ phase: Phase, at now: Instant) {
    let isRunning = inPass(phase) { pass in
      pass.isStale = false
      pass.dependents = nil
      guard pass.stage == .running else { return false }
      pass.recordCompletions()
      return true
    }
    guard isRunning == true, let pass = self[phase].pass else { return }
    let plan = PassPlanner(registry: registry, pass: pass, stopped: stopped, configuration).plan()
    // The old indexes of the items, unless this is the first plan.
    let isFirst = pass.plan.items.isEmpty
    let before = isFirst ? nil : plan.items.map { pass.plan.index(of: $0.name, index(of: $0)) }
    var runOf: [String: RunID] = [:]
    for (id, run) in runs where run.pass == pass.id { runOf[run.initializer] = id }
    self[phase].pass?.adopt(plan, before: before, runOf)
    for (name, run) in runOf {
      if let index = plan.index(of: name, registry.index(of: name)) { runs[run]?.index = index }
    }
    for name in pass.delayed where self[phase].pass?.declaration(of: name, registry.index(of: name)) == nil {
      self[phase].pass?.delayed.remove(name)
      deadlines[.retry(phase, name)] = nil
    }
    unbindWaits(phase) { $0.declaration?.process == nil }
    blockAll(phase, at: now)
    if configuration.publishesInitializers { effects.reserveCapacity(effects.count + plan.items.count) }
    for (position, standing) in (self[phase].pass?.standings ?? []).enumerated() {
      let old = before?[position]
      let wasWaiting = old.map { pass.standings[$0].isWaiting } ?? false
      guard standing.isWaiting != wasWaiting, let index = index(of: plan.items[position]) else { continue }
      // The status from the last pass is obsolete: from now on this pass's status is shown.
      let isForgotten = old.map { pass.standings[$0] == .cancelled } ?? true
      if standing.isWaiting, isForgotten, lastRun > 0, registry[index].inFlight == nil {
        registry[index].run = nil
      }
      touch(index)
    }
    for item in pass.plan.items {
      if let index = index(of: item), plan.index(of: item.name, index) == nil { touch(index) }
    }
    if let fault = plan.fault, self[phase].pass?.isProvisional == false {
      inPass(phase) { $0.record(fault) }
      fail(phase, with: self[phase].pass?.recordedFailure ?? fault, at: now)
    }
  }

  /// Returns the index of an item's initializer; `nil` if it isn't registered.
  func index(of item: Plan.Item) -> InitializerIndex? { registry.index(of: item.name, formerly: item.initializer) }

  /// Blocks the dependents of items that failed earlier, after planning.
  private mutating func blockAll(_ phase: Phase, at now: Instant) {
    guard inPass(phase, { $0.isProvisional || $0.failures.isEmpty }) == false, let pass = self[phase].pass else {
      return
    }
    for (index, failure) in pass.failures.sorted(by: { $0.key < $1.key }) {
      block(index, phase, with: failure, at: now)
    }
  }

  /// Whether an initializer of the phase itself hasn't completed, though nobody has stopped it.
  private func hasRoots(_ phase: Phase) -> Bool {
    registry.entries.contains {
      $0.declaration.priority == phase.priority && !$0.isDone(in: phase) && $0.isSelected
        && !stopped.contains($0.declaration.name)
    }
  }

  /// Selects the requested initializers and everything they need, by the current declarations, if only some must run (S28).
  ///
  /// - Returns: the names that weren't selected before.
  @discardableResult
  mutating func updateSelection() -> [String] {
    guard !configuration.only.isEmpty else { return [] }
    var selected: Set<InitializerIndex> = []
    var open = configuration.only.compactMap { registry.index(of: $0) }
    while let index = open.popLast() {
      guard selected.insert(index).inserted, !registry[index].isLeftOut else { continue }
      open += registry[index].declaration.dependencies.compactMap { registry.index(of: $0) }
    }
    var new: [String] = []
    for index in registry.indexes where registry[index].isSelected != selected.contains(index) {
      registry[index].isSelected.toggle()
      if registry[index].isSelected { new.append(registry.name(at: index)) }
      touch(index)
    }
    return new
  }

  /// Stops a pass at its first error.
  ///
  /// Fails a pass: its runs are asked to stop, and it ends when all of them have stopped (S8).
  mutating func fail(_ phase: Phase, with failure: Failure, at now: Instant) {
    guard self[phase].pass?.stage == .running else { return }
    self[phase].pass?.stage = .failing(failure)
    stopRuns(of: phase, reason: .failed, at: now)
  }

  /// Asks the runs to stop, and ends every delay (S8, S11, S16).
  mutating func stopRuns(of phase: Phase, reason: CancelReason, at now: Instant) {
    guard let pass = self[phase].pass else { return }
    for (id, run) in runs.sorted(by: { $0.key < $1.key }) where run.pass == pass.id {
      stop(id, reason: reason, at: now)
      // If the run was already stopping, its reason may have changed.
      touch(run.initializer)
    }
    unbindWaits(phase)
    self[phase].pass?.delayed = []
    self[phase].pass?.asked = [:]
    for name in pass.delayed { deadlines[.retry(phase, name)] = nil }
    for index in pass.standings.indices.map({ PlanIndex($0) }) where pass.standings[index].isBetweenAttempts {
      let name = pass.plan.items[index].name
      self[phase].pass?.standings[index] = .cancelled
      registry[name]?.outcome = .cancelled(by: pass.culprit)
      touch(name)
    }
    deadlines[.registration(phase)] = nil
  }

  /// Ends and begins passes until nothing changes.
  mutating func settle(at now: Instant) {
    while endIfOver(.active, at: now) || endIfOver(.launch, at: now) || openActive(at: now) {}
  }

  private mutating func endIfOver(_ phase: Phase, at now: Instant) -> Bool {
    // Called in each step: the pass is copied only when it ends.
    guard let outcome = inPass(phase, { $0.outcome }) ?? nil else { return false }
    // A pass without remaining work also waits for its turn.
    if inPass(phase, { $0.stage == .running }) == true, !mayRun(phase) { return false }
    if let pass = self[phase].pass { end(pass, as: outcome, at: now) }
    return true
  }

  /// Returns whether the other phase allows runs of this phase to start.
  mutating func mayRun(_ phase: Phase) -> Bool {
    switch phase {
    case .launch: (inPass(.active) { $0.inFlight } ?? 0) == 0
    case .active:
      !launch.hasPass && launchState == .complete && inPass(.active) { $0.isProvisional } != true
    }
  }

  /// Continues the active pass in flight when launch has completed, or fails it if launch failed (S4, S8, S19).
  private mutating func openActive(at now: Instant) -> Bool {
    guard !launch.hasPass, inPass(.active, { $0.stage == .running }) == true else { return false }
    switch launchState {
    case .pending: return false
    case .failed(let failure):
      fail(.active, with: failure, at: now)
      return true
    case .complete:
      // Called in each step: the pass isn't copied.
      guard let pass = inPass(.active, { $0.isProvisional ? $0.id : nil }) ?? nil else { return false }
      active.pass?.isProvisional = false
      active.pass?.opened = now
      effects.append(.publish(.passOpened(pass)))
      replan(.active, at: now)
      return true
    }
  }

  private mutating func end(_ pass: Pass, as outcome: PassStatus, at now: Instant) {
    let phase = pass.phase
    let publishes = configuration.publishesInitializers
    self[phase].pass = nil
    self[phase].lastTally = pass.tally
    deadlines[.registration(phase)] = nil
    for (position, standing) in pass.standings.enumerated() where publishes || !standing.isTerminal {
      guard let index = index(of: pass.plan.items[position]) else { continue }
      if !standing.isTerminal { leave(index, standing, outcome) }
      touch(index)
    }
    remember(pass.id, outcome)
    effects.append(.publish(.pass(pass.id, phase: phase, outcome)))
    for id in self[phase].abandoned {
      remember(id, .cancelled)
      effects.append(.publish(.pass(id, phase: phase, .started)))
      effects.append(.publish(.pass(id, phase: phase, .cancelled)))
    }
    self[phase].abandoned = []
    if let next = self[phase].next {
      self[phase].next = nil
      return begin(phase, next, isEntry: self[phase].isNextEntry, at: now)
    }
    switch outcome {
    case .complete:
      self[phase].state = .complete
      let isWanted = pass.again.contains { registry[$0]?.isDone(in: phase) == false } && hasRoots(phase)
      if isWanted { begin(phase, isEntry: false, at: now) }
    case .failed(let failure):
      self[phase].state = .failed(failure)
      if phase == .launch { relaunchIfRecovered(at: now) }
    case .cancelled, .started: break
    }
  }

  /// Records the outcome of an initializer that didn't start in its pass (S2).
  ///
  /// If the initializer also belongs to the other phase's pass, that pass decides.
  private mutating func leave(_ index: InitializerIndex, _ standing: Pass.Standing, _ outcome: PassStatus) {
    let name = registry.name(at: index)
    guard !Phase.allCases.contains(where: { self[$0].pass?.isUnderWay(with: name, index) == true }) else {
      return
    }
    if case .ready(let attempt) = standing, attempt > 1 {
      // The initializer ran, failed, and would have been retried (S16).
      let failure: Failure? = if case .failed(let failure) = outcome { failure.last } else { nil }
      registry[index].outcome = .cancelled(by: failure?.initializer)
      return
    }
    switch outcome {
    case .failed(let failure):
      let last = failure.last
      registry[index].outcome = last.initializer == name ? .failed(last) : .notRun(by: last.initializer, last)
    case .cancelled: registry[index].outcome = .idle
    case .started, .complete: break
    }
  }

  private mutating func remember(_ id: PassID, _ outcome: PassStatus) {
    ended[id] = outcome
    if ended.count > Self.rememberedPasses { ended.removeFirst() }
  }

  /// Publishes one record of all states, if any of them or whether the app is ready has changed (S1).
  mutating func publishStates() {
    // Compared in each step, without a copy of the record.
    let isPublished =
      launch.newest == published.launch.pass && active.newest == published.active.pass
      && lifecycle == published.lifecycle && launchState == published.launch.state
      && active.state == published.active.state && (tally.active > 0) == published.hasActivePhase
    if isPublished { return }
    let record = self.states
    let changed = record.changes(since: published)
    let isNewReadiness = record.isReady != published.isReady
    published = record
    if !changed.isEmpty || isNewReadiness { effects.append(.publish(.state(record, changed: changed))) }
  }
}

extension Pass {
  /// Returns the declaration that this pass uses, if its plan contains the initializer.
  func declaration(of name: String, _ initializer: InitializerIndex?) -> Declaration? {
    plan.index(of: name, initializer).flatMap { plan.items[$0].declaration }
  }
}
