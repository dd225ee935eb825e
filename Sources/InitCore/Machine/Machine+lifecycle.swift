internal import InitWords

/// The lifecycle events: launch, activate, hold, deactivate, shutdown (S9, S10, S11, S14, S23, S24).
extension Machine {
  /// Starts, retries or joins the launch phase (S9, S10).
  mutating func handleLaunch(at now: Instant) throws(Refusal) {
    guard !isShuttingDown else { throw .shuttingDown }
    guard launch.next == nil else { return }
    switch (launch.pass?.stage, launch.state) {
    case (.running, _), (nil, .complete): break
    case (.failing, _), (.cancelling, _), (nil, .pending), (nil, .failed): requestLaunch(at: now)
    }
  }

  /// Requests a new launch pass: at once, or as soon as the pass in flight has ended (S9, S14).
  mutating func requestLaunch(at now: Instant) {
    guard !launch.hasPass else {
      launch.next = newPass()
      launch.newest = launch.next
      return
    }
    switch launch.state {
    case .pending, .complete: begin(.launch, at: now)
    case .failed(let failure):
      begin(.launch, at: now)
      retryActive(failedWith: failure, at: now)
    }
  }

  /// Restores the completions of an earlier supervisor.
  ///
  /// Unregistered names count as complete once a worker registers them. Effects in an ended process don't count: those of Swift objects,
  /// and of per-process initializers (S22). Initializers that may be fresh are compared when their turn comes (S30).
  mutating func restoreCompletions(of names: [String], stale: Set<String>, _ fingerprints: [String: Fingerprint]) {
    guard launch.newest == nil else { return }
    mayMakeStale = true
    staleRemembered = stale.intersection(names)
    for name in names {
      guard let index = registry.index(of: name) else {
        remembered.insert(name)
        continue
      }
      let entry = registry[index]
      guard entry.kind.isRemembered, !entry.declaration.isPerProcess, !entry.isLeftOut else { continue }
      guard entry.declaration.freshness == nil else {
        registry[index].fingerprint = fingerprints[name]
        registry[index].isStale = stale.contains(name)
        continue
      }
      registry[index].complete(in: .launch)
      registry[index].isStale = stale.contains(name)
      recordCompletion(of: index)
      touch(index)
    }
  }

  /// Requests the active pass again that failed with launch, if launch is retried and the app is active (S9).
  private mutating func retryActive(failedWith failure: Failure, at now: Instant) {
    let isFailing = active.pass?.stage == .failing(failure)
    guard isFailing || active.state == .failed(failure) else { return }
    active.state = .pending
    if lifecycle == .active, active.next == nil { requestActive(at: now) }
  }

  /// Starts or joins an active pass, or only adds a hold (S10, S14, S23).
  mutating func handleActivation(hold: HoldID?, at now: Instant) throws(Refusal) {
    guard !isShuttingDown else { throw .shuttingDown }
    let wasActive = lifecycle == .active
    lifecycle = .active
    if let hold { holds.insert(hold) } else { isHeldPlainly = true }
    if hold != nil, wasActive, !active.hasFailed { return }
    guard active.pass?.stage != .running else { return }
    if active.next == nil { requestActive(at: now) } else { active.isNextEntry = true }
  }

  /// Requests a new active pass: at once, or as soon as the stopping pass has stopped (S14).
  ///
  /// `isEntry` is true if the pass executes everything (S4).
  mutating func requestActive(isEntry: Bool = true, at now: Instant) {
    guard active.hasPass else { return begin(.active, isEntry: isEntry, at: now) }
    active.next = newPass()
    active.newest = active.next
    active.isNextEntry = isEntry
  }

  /// Ends a hold.
  ///
  /// Releases a hold; after the last hold the app is deactivated, unless it was also activated without a hold (S23).
  mutating func handleRelease(of hold: HoldID, at now: Instant) {
    guard holds.remove(hold) != nil, holds.isEmpty, !isHeldPlainly, lifecycle == .active else { return }
    handleDeactivation(at: now)
  }

  /// Cancels the running or waiting active pass, and ends every hold (S11, S14, S23).
  mutating func handleDeactivation(at now: Instant) {
    lifecycle = .inactive
    isHeldPlainly = false
    holds = []
    abandonNext(.active)
    cancel(.active, reason: .deactivated, at: now)
  }

  /// Refuses new work from now on, and cancels all runs (S24).
  mutating func handleShutdown(at now: Instant) {
    guard !isShuttingDown else { return }
    isShuttingDown = true
    for phase in Phase.allCases {
      abandonNext(phase)
      cancel(phase, reason: .shutdown, at: now)
    }
  }

  /// Abandons the pass that should start after the pass in flight.
  ///
  /// Waits for the app are answered at once.
  private mutating func abandonNext(_ phase: Phase) {
    guard let next = self[phase].next else { return }
    self[phase].next = nil
    self[phase].due = []
    self[phase].requested = [:]
    self[phase].outdated = []
    self[phase].abandoned.append(next)
    effects.append(.publish(.passAbandoned(next)))
  }

  private mutating func cancel(_ phase: Phase, reason: CancelReason, at now: Instant) {
    guard let pass = self[phase].pass, pass.stage != .cancelling else { return }
    self[phase].pass?.stage = .cancelling
    stopRuns(of: phase, reason: reason, at: now)
  }
}
