internal import InitText
internal import InitWords

/// Runs: how they start, report and stop, and what the end of a run means for its pass (S6–S8, S12, S13, S15–S17).
extension Machine {
  /// Starts the runs that may start, in order, up to the concurrency (S6), and notes if none can (S20).
  mutating func pump(_ phase: Phase, at now: Instant) {
    guard inPass(phase, { $0.isStarting }) == true, mayRun(phase) else { return }
    releaseHeld(phase)
    repeat {
      while let index = nextToStart(phase) {
        start(index, phase, at: now)
      }
      // If an item couldn't start, e.g. because its worker isn't connected, its place in the group goes to the next one.
    } while releaseHeld(phase)
    watchForWorkers(phase, at: now)
  }

  private mutating func start(_ index: PlanIndex, _ phase: Phase, at now: Instant) {
    guard let (attempt, item) = inPass(phase, { $0.startable(index) }) ?? nil else { return }
    if let declaration = item.declaration, asks(index, declaration, attempt: attempt, phase) { return }
    guard let declaration = item.declaration, let entry = self.index(of: item),
      let provider = registry[entry].provider, !stopped.contains(item.name)
    else {
      self[phase].pass?.unprovided.append(index)
      bindWait(of: index, phase, at: now)
      return
    }
    if declaration.process != nil { unbindWaits(phase) { $0.name == declaration.name } }
    lastRun = lastRun.next
    let id = lastRun
    guard let (pass, lastCompletion) = inPass(phase, { $0.start(id, of: index, declaration) }) else { return }
    let (ready, waitedFor) =
      lastCompletion.map { ($0, declaration.dependencies) } ?? wait(of: declaration, at: index, phase)
    var worker: WorkerID?
    var process: Int32?
    var provided: Instant?
    if case .worker(let owner, let pid, let since) = provider {
      worker = owner
      process = pid
      provided = since
    }
    let deadline = declaration.timeout.map { now + $0 }
    if deadline != nil { deadlines[.timeout(id)] = deadline }
    if self[phase].outdated.remove(item.name) != nil { self[phase].due.remove(item.name) }
    inPass(phase) { if !$0.renewed.isEmpty { $0.renewed.remove(item.name) } }
    registry[entry].start(id, attempt: attempt, pass: pass, phase, at: now)
    runs[id] = Run(
      initializer: item.name, index: index, entry: entry, pass: pass, phase: phase, attempt: attempt, started: now,
      ready: ready, waitedFor: waitedFor, provided: provided, freed: freed(item.takesSlot, in: declaration.group),
      attempts: declaration.retry.attempts, group: declaration.group, takesSlot: item.takesSlot, worker: worker,
      process: process,
      deadline: deadline)
    touch(entry)
    let isNamed = (inPass(phase) { $0.forced.isEmpty ? nil : $0.forced[item.name] } ?? nil)
    let request: RunStart.Request? = isNamed.map { $0 ? .ofItself : .ofDependency }
    if mayMakeStale { makeDependentsStale(of: entry, phase) }
    effects.append(
      .startRun(
        RunStart(
          run: id, initializer: item.name, pass: pass, phase: phase, attempt: attempt,
          timeout: declaration.timeout, worker: worker, index: entry,
          request: request)))
  }

  /// Returns the last end of a run that freed a place of the concurrency, if that is needed, or one of the group.
  private func freed(_ needsSlot: Bool, in group: String?) -> RunEnd? {
    let slot = needsSlot ? lastEnd : nil
    guard let group, let place = lastEnds[group] else { return slot }
    return slot.map { $0.at < place.at ? place : $0 } ?? place
  }

  /// Returns since when an initializer could start, and which of its dependencies and predecessors ended before it in its pass.
  private func wait(
    of declaration: Declaration, at index: PlanIndex, _ phase: Phase
  ) -> (ready: Instant, waitedFor: [String]) {
    guard let pass = self[phase].pass else { return (.zero, []) }
    var ready = pass.opened
    var waitedFor = [String]()
    for name in declaration.dependencies + (pass.plan.inherited[index.rawValue] ?? []) {
      guard let instant = pass.completion(of: name, registry.index(of: name)) else { continue }
      ready = max(ready, instant)
      waitedFor.append(name)
    }
    for name in declaration.after where !waitedFor.contains(name) {
      guard let instant = pass.ended[name], registry[name]?.declaration.priority == declaration.priority else {
        continue
      }
      ready = max(ready, instant)
      waitedFor.append(name)
    }
    // The history keeps many of these arrays, so it gets the same array if all of them ran.
    return (ready, waitedFor == declaration.dependencies ? declaration.dependencies : waitedFor)
  }

  /// Asks a run to stop; it occupies its slot until it has stopped (S13).
  mutating func stop(_ id: RunID, reason: CancelReason, at now: Instant) {
    guard let run = runs[id] else { return }
    switch run.state {
    case .running:
      runs[id]?.state = .stopping(reason)
      deadlines[.timeout(id)] = nil
      deadlines[.grace(id)] = now + configuration.cancelGrace
      effects.append(.cancelRun(id, reason))
      touch(run.initializer)
    case .stopping(.timeout):
      // The run failed when its time was up, unless its pass is cancelled before it has stopped (S15).
      switch reason {
      case .deactivated, .shutdown, .operator: runs[id]?.state = .stopping(reason)
      case .timeout, .failed, .unregistered: break
      }
    case .stopping(.operator):
      if reason == .deactivated || reason == .shutdown { runs[id]?.state = .stopping(reason) }
    case .stopping(.deactivated), .stopping(.failed), .stopping(.unregistered), .stopping(.shutdown): break
    }
  }

  /// Records a run's progress, and may move its deadline (S15, S17).
  ///
  /// An empty message removes the previous one.
  mutating func handleProgress(of id: RunID, fraction: Double?, message: String?, extend: Duration?, at now: Instant) {
    guard let run = runs[id], run.state == .running else { return }
    if let extend, run.deadline != nil {
      let deadline = now + max(.zero, extend)
      runs[id]?.deadline = deadline
      deadlines[.timeout(id)] = deadline
    }
    let fraction = fraction.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
    guard fraction != nil || message != nil else { return }
    var progress = registry[run.initializer]?.run?.progress ?? RunProgress()
    if let fraction { progress.fraction = max(progress.fraction ?? 0, fraction) }
    if let message {
      progress.message = message.isEmpty ? nil : message.cut()
      runs[id]?.lastMessage = progress.message
    }
    registry[run.initializer]?.run?.progress = progress
    // Every report is published, even if it repeats the previous one: it shows that the run is alive.
    registry[run.initializer]?.shown = nil
    touch(run.initializer)
  }

  /// Records a failed try of a run (S31): the first failure, and each failure that differs from the one before, becomes the run's progress
  /// message.
  mutating func handleTry(of id: RunID, _ failure: String, _ tries: Int, at now: Instant) {
    guard let run = runs[id], run.state == .running else { return }
    runs[id]?.lastTry = Run.FailedTry(failure: failure, number: tries)
    guard registry[run.initializer]?.run?.progress?.message != failure.cut() else { return }
    handleProgress(of: id, fraction: nil, message: failure, extend: nil, at: now)
  }

  /// Processes the result of a run that has stopped.
  ///
  /// The result counts only if the run wasn't asked to stop (S12).
  mutating func handleResult(_ result: RunResult, of id: RunID, at now: Instant) {
    if isPlanningDue { planIfAway(id, at: now) }
    guard let run = runs.removeValue(forKey: id) else { return }
    conclude(run, id, result, at: now)
    // Initializers that wait to be registered by a process that couldn't be started fail now.
    bindWaits(run.phase, at: now)
  }

  /// Plans again before a run's end is processed, if its initializer was removed and registered again.
  mutating func planIfAway(_ id: RunID, at now: Instant) {
    guard let run = runs[id], self[run.phase].pass?.isStale == true, index(of: run, id) == nil else { return }
    replan(run.phase, at: now)
  }

  /// Processes the end of a run that is no longer in flight.
  mutating func conclude(_ run: Run, _ id: RunID, _ result: RunResult, at now: Instant) {
    deadlines[.timeout(id)] = nil
    deadlines[.grace(id)] = nil
    self[run.phase].pass?.inFlight -= 1
    if !run.takesSlot { self[run.phase].pass?.waiting -= 1 }
    let end = RunEnd(run.initializer, at: now)
    if run.takesSlot { lastEnd = end }
    if let group = run.group { lastEnds[group] = end }
    let entry = registry.index(of: run.initializer, formerly: run.entry)
    if let entry { registry[entry].end(id, after: now - run.started) }
    switch (run.state, result) {
    case (.running, .success): complete(run, id, entry, at: now)
    case (.running, .failure(let cause)): failAttempt(run, id, entry, cause.bounded, at: now)
    case (.stopping(.timeout), _):
      failAttempt(run, id, entry, run.timeout(at: now).bounded, at: now)
    case (.stopping(.operator), _):
      failAttempt(run, id, entry, Cause.operator(user: run.cancelledBy ?? "").bounded, at: now)
    case (.stopping(.deactivated), _), (.stopping(.failed), _), (.stopping(.unregistered), _),
      (.stopping(.shutdown), _):
      let cancellation = cancellation(of: run)
      record(run, id, .cancelled, at: now) { $0.cancelled = cancellation }
      reopen(run, id)
      conclude(entry, as: .cancelled(by: cancellation.culprit))
    }
  }

  /// Records the end of a run as the outcome of its initializer, unless that isn't registered any more.
  private mutating func conclude(_ entry: InitializerIndex?, as outcome: Entry.Outcome) {
    guard let entry else { return }
    registry[entry].outcome = outcome
    publishEnd(of: entry)
  }

  private mutating func complete(_ run: Run, _ id: RunID, _ entry: InitializerIndex?, at now: Instant) {
    record(run, id, .complete, at: now)
    if let index = index(of: run, id) {
      inPass(run.phase) { $0.complete(index, at: now) }
    } else {
      self[run.phase].pass?.completed[run.initializer] = now
    }
    guard let entry else { return }
    registry[entry].complete(in: run.phase)
    registry[entry].completedBy = run.process
    recordFingerprint(of: entry, run.phase, at: now)
    recordCompletion(of: entry)
    publishEnd(of: entry)
    let isRenewed = inPass(run.phase) { !$0.renewed.isEmpty && $0.renewed.remove(run.initializer) != nil }
    guard isRenewed == true else { return }
    registry[entry].undo(in: run.phase)
    inPass(run.phase) { $0.forgetCompletion(of: run.initializer, entry) }
    replan(run.phase, at: now)
  }

  private mutating func failAttempt(
    _ run: Run, _ id: RunID, _ entry: InitializerIndex?, _ cause: Cause, at now: Instant
  ) {
    let phase = run.phase
    let name = run.initializer
    if run.isOfRemovedName {
      record(run, id, .failed(cause), at: now)
      reopen(run, id)
      return conclude(entry, as: .failed(.initializerFailed(name, cause)))
    }
    let index = index(of: run, id)
    let retry = index.flatMap { self[phase].pass?.plan.items[$0].declaration?.retry } ?? .never
    var wait: Duration?
    let isRetried = run.attempt < retry.attempts && run.state != .stopping(.operator)
    if index != nil, self[phase].pass?.stage == .running, isRetried {
      let seed = configuration.seed &+ UInt64(truncatingIfNeeded: id.rawValue)
      wait = retry.wait(afterAttempt: run.attempt, seed: seed)
    }
    record(run, id, .failed(cause), at: now) { $0.nextAttempt = wait }
    let failure = Failure.initializerFailed(name, cause)
    guard let index else { return conclude(entry, as: .failed(failure)) }
    if let entry { registry[entry].outcome = .failed(failure) }
    if let wait {
      self[phase].pass?.standings[index] = .delayed(attempts: run.attempt)
      self[phase].pass?.delayed.insert(name)
      deadlines[.retry(phase, name)] = now + wait
      touch(name)
    } else {
      failItem(index, phase, with: failure, at: now)
    }
  }

  /// Fails an item permanently.
  ///
  /// The pass fails too, unless the item is optional and nothing needs it (S8); with `keepGoing` it fails at its end (S28).
  mutating func failItem(_ index: PlanIndex, _ phase: Phase, with failure: Failure, at now: Instant) {
    markFailed(index, phase, with: failure, at: now)
    spreadFailure(of: index, phase, with: failure, at: now)
  }

  /// Records that an item has failed permanently.
  mutating func markFailed(_ index: PlanIndex, _ phase: Phase, with failure: Failure, at now: Instant) {
    guard let item = self[phase].pass?.plan.items[index] else { return }
    inPass(phase) { pass in
      pass.failures[index] = failure
      pass.end(index, as: .failed, at: now)
    }
    conclude(self.index(of: item), as: .failed(failure))
  }

  /// Applies the failure of an item to its pass and its dependents (S8).
  mutating func spreadFailure(of index: PlanIndex, _ phase: Phase, with failure: Failure, at now: Instant) {
    guard let item = self[phase].pass?.plan.items[index] else { return }
    if item.declaration?.isOptional == true || configuration.keepsGoing {
      block(index, phase, with: failure, at: now)
    } else {
      fail(phase, with: failure, at: now)
    }
  }

  /// Blocks the dependents of a failed item that doesn't stop the pass.
  ///
  /// If one of them isn't optional, the pass fails (S8): with `keepGoing`, at its end (S28).
  mutating func block(_ index: PlanIndex, _ phase: Phase, with failure: Failure, at now: Instant) {
    guard let plan = self[phase].pass?.plan else { return }
    let isMandatory = plan.items[index].isNeeded || plan.items[index].declaration?.isOptional == false
    switch (isMandatory, configuration.keepsGoing) {
    case (true, false): return fail(phase, with: failure, at: now)
    case (true, true): inPass(phase) { $0.record(failure) }
    case (false, _): break
    }
    var reached = [index]
    while let next = reached.popLast() {
      for dependent in plan.dependents[next] {
        guard self[phase].pass?.standings[dependent].isTerminal == false else { continue }
        inPass(phase) { $0.end(dependent, as: .blocked, at: now) }
        reached.append(dependent)
        guard let initializer = self.index(of: plan.items[dependent]) else { continue }
        registry[initializer].outcome = .notRun(by: plan.items[index].name, failure)
        touch(initializer)
      }
    }
  }

  /// Returns the index of the run's item in its pass, if that item still belongs to this run.
  private mutating func index(of run: Run, _ id: RunID) -> PlanIndex? {
    // A run's number is unique, so the standing shows whether the item is still this run's.
    inPass(run.phase) { $0.isRunning(id, at: run.index) } == true ? run.index : nil
  }

  /// Lets an initializer run again if its pass continues: its run was cancelled, or its name was removed, so the run doesn't count (S12,
  /// S21).
  private mutating func reopen(_ run: Run, _ id: RunID) {
    guard let index = index(of: run, id), let stage = inPass(run.phase, { $0.stage }) else { return }
    guard stage == .running else {
      self[run.phase].pass?.standings[index] = .cancelled
      return
    }
    inPass(run.phase) { $0.reopen(index) }
  }

  /// Returns why a run that was asked to stop counts as cancelled; not used for timeouts.
  func cancellation(of run: Run) -> RunRecord.Cancellation {
    switch run.state {
    case .stopping(.unregistered): return .unregistered
    case .stopping(.shutdown): return .shutdown
    case .stopping(.failed):
      // A pass that was cancelled after it had failed ends as cancelled (S14).
      guard case .failing(let failure)? = self[run.phase].pass?.stage else { return .deactivated }
      return .failed(failure.last)
    case .running, .stopping(.deactivated), .stopping(.timeout), .stopping(.operator): return .deactivated
    }
  }

  private mutating func record(
    _ run: Run, _ id: RunID, _ outcome: RunRecord.Outcome, at now: Instant,
    saying more: (inout RunRecord) -> Void = { _ in }
  ) {
    guard configuration.publishesInitializers else { return }
    var record = RunRecord(run, id, at: now)
    record.outcome = outcome
    more(&record)
    effects.append(.publish(.runEnded(record)))
  }
}
