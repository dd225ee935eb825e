import OrderedCollections

/// Runs: how they start, report and stop, and what their end means for their pass (S6–S8, S12, S13, S15–S17).
extension Machine {
  /// Starts the runs that may start, in order, up to the concurrency (S6), and notes if none can (S20).
  mutating func pump(_ phase: Phase, at now: Instant) {
    guard inPass(phase, { $0.isStarting }) == true, mayRun(phase) else { return }
    let concurrency = configuration.concurrency
    while let place = inPass(phase, { $0.occupied < concurrency ? $0.nextReady() : nil }) ?? nil {
      start(place, phase, at: now)
    }
    watchForWorkers(phase, at: now)
  }

  private mutating func start(_ place: Int, _ phase: Phase, at now: Instant) {
    guard let (attempt, declaration) = inPass(phase, { $0.startable(place) }) ?? nil else { return }
    guard let declaration, let index = registry.index(forKey: declaration.name),
      let provider = change(at: index, { $0.provider })
    else {
      self[phase].pass?.unprovided.append(place)
      return
    }
    let run = newRun(of: declaration, place, index, attempt: attempt, provider, phase, at: now)
    _ = inPass(phase) { pass in
      pass.standings[place] = .running(run)
      pass.inFlight += 1
    }
  }

  private mutating func newRun(
    of declaration: Declaration, _ place: Int, _ index: Int, attempt: Int, _ provider: Entry.CurrentProvider,
    _ phase: Phase, at now: Instant
  ) -> Int {
    guard let (pass, (ready, waitedFor)) = inPass(phase, { ($0.number, $0.wait(of: place, declaration)) }) else {
      return 0
    }
    let name = declaration.name
    lastRun += 1
    let number = lastRun
    var worker: WorkerID?
    var process: Int32?
    if case .worker(let id, let pid) = provider { (worker, process) = (id, pid) }
    let deadline = declaration.timeout.map { now + $0 }
    if deadline != nil { deadlines[.timeout(number)] = deadline }
    let provided = change(at: index) { entry in
      entry.start(number, attempt: attempt, pass: pass, phase, at: now)
      return entry.providedSince
    }
    runs[number] = Run(
      initializer: name, place: place, entry: index, pass: pass, phase: phase, attempt: attempt, started: now,
      ready: ready, waitedFor: waitedFor, provided: provided, freed: lastEnd,
      attempts: declaration.retry.attempts, worker: worker, process: process, deadline: deadline)
    touch(name, near: index)
    effects.append(
      .startRun(
        RunStart(
          run: number, initializer: name, pass: pass, phase: phase, attempt: attempt,
          timeout: declaration.timeout, worker: worker)))
    return number
  }

  /// Asks a run to stop; it occupies its place until it has stopped (S13).
  mutating func stop(_ number: Int, reason: CancelReason, at now: Instant) {
    guard let run = runs[number] else { return }
    switch run.state {
    case .running:
      runs[number]?.state = .stopping(reason)
      deadlines[.timeout(number)] = nil
      deadlines[.grace(number)] = now + configuration.cancelGrace
      effects.append(.cancelRun(number, reason))
      touch(run.initializer)
    case .stopping(.timeout):
      // It failed when its time was up, unless its pass is cancelled before it has stopped (S15).
      if reason == .deactivated || reason == .shutdown { runs[number]?.state = .stopping(reason) }
    case .stopping(.deactivated), .stopping(.failed), .stopping(.unregistered), .stopping(.shutdown): break
    }
  }

  /// A run reports progress, and may move its deadline (S15, S17).
  mutating func takeProgress(of number: Int, fraction: Double?, message: String?, extend: Duration?, at now: Instant) {
    guard let run = runs[number], run.state == .running else { return }
    if let extend, run.deadline != nil {
      let deadline = now + max(.zero, extend)
      runs[number]?.deadline = deadline
      deadlines[.timeout(number)] = deadline
    }
    let fraction = fraction.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
    guard fraction != nil || message != nil else { return }
    var progress = registry[run.initializer]?.run?.progress ?? RunProgress()
    if let fraction { progress.fraction = max(progress.fraction ?? 0, fraction) }
    if let message { progress.message = message.cut() }
    registry[run.initializer]?.run?.progress = progress
    // Every report is published, even if it repeats the previous one: it shows that the run is alive.
    registry[run.initializer]?.shown = nil
    touch(run.initializer)
  }

  /// A run has stopped; its result counts only if it wasn't asked to stop (S12).
  mutating func takeResult(_ result: RunResult, of number: Int, at now: Instant) {
    if isPlanningDue { planIfAway(number, at: now) }
    guard let run = runs.removeValue(forKey: number) else { return }
    conclude(run, number, result, at: now)
  }

  /// If a run's initializer was removed and registered again, it must be back in the plan before the run's end is processed.
  mutating func planIfAway(_ number: Int, at now: Instant) {
    guard let run = runs[number], self[run.phase].pass?.isStale == true, place(of: run, number) == nil else { return }
    replan(run.phase, at: now)
  }

  /// Processes the end of a run that is no longer in flight.
  mutating func conclude(_ run: Run, _ number: Int, _ result: RunResult, at now: Instant) {
    deadlines[.timeout(number)] = nil
    deadlines[.grace(number)] = nil
    self[run.phase].pass?.inFlight -= 1
    let name = run.initializer
    lastEnd = RunEnd(name, at: now)
    let index = index(of: name, near: run.entry)
    if let index { change(at: index) { $0.end(number, after: now - run.started) } }
    switch (run.state, result) {
    case (.running, .success): complete(run, number, index, at: now)
    case (.running, .failure(let cause)): failAttempt(run, number, cause.bounded, at: now)
    case (.stopping(.timeout), _):
      failAttempt(run, number, .timeout(after: (run.deadline ?? now) - run.started), at: now)
    case (.stopping(.deactivated), _), (.stopping(.failed), _), (.stopping(.unregistered), _),
      (.stopping(.shutdown), _):
      let cancellation = cancellation(of: run)
      record(run, number, .cancelled, at: now) { $0.cancelled = cancellation }
      recallPlace(of: run, number)
      registry[name]?.outcome = .cancelled(by: cancellation.culprit)
      tellEnd(of: name)
    }
  }

  private mutating func complete(_ run: Run, _ number: Int, _ index: Int?, at now: Instant) {
    let (phase, name) = (run.phase, run.initializer)
    record(run, number, .complete, at: now)
    if let index {
      change(at: index) { entry in
        entry.complete(in: phase)
        entry.completedBy = run.process
      }
      noteCompletion(at: index)
    }
    let place = place(of: run, number)
    if let place {
      self[phase].pass?.complete(place, at: now)
    } else {
      self[phase].pass?.completed[name] = now
    }
    tellEnd(of: name, near: index, doneIn: place.map { _ in phase })
  }

  private mutating func failAttempt(_ run: Run, _ number: Int, _ cause: Cause, at now: Instant) {
    let (phase, name) = (run.phase, run.initializer)
    if run.isOfRemovedName {
      record(run, number, .failed(cause), at: now)
      recallPlace(of: run, number)
      registry[name]?.outcome = .failed(.initializerFailed(name, cause))
      return tellEnd(of: name)
    }
    let place = place(of: run, number)
    let retry = place.flatMap { self[phase].pass?.plan.items[$0].declaration?.retry } ?? .never
    var wait: Duration?
    if place != nil, self[phase].pass?.stage == .running, run.attempt < retry.attempts {
      let seed = configuration.seed &+ UInt64(truncatingIfNeeded: number)
      wait = retry.wait(afterAttempt: run.attempt, seed: seed)
    }
    record(run, number, .failed(cause), at: now) { $0.nextAttempt = wait }
    let failure = Failure.initializerFailed(name, cause)
    registry[name]?.outcome = .failed(failure)
    guard let place else { return tellEnd(of: name) }
    if let wait {
      self[phase].pass?.standings[place] = .delayed(attempts: run.attempt)
      self[phase].pass?.delayed.insert(name)
      deadlines[.retry(phase, name)] = now + wait
      touch(name)
    } else {
      failItem(place, phase, with: failure, at: now)
    }
  }

  /// An item has failed for good: the pass with it, unless it is optional and nothing needs it (S8).
  mutating func failItem(_ place: Int, _ phase: Phase, with failure: Failure, at now: Instant) {
    guard let item = self[phase].pass?.plan.items[place] else { return }
    self[phase].pass?.standings[place] = .failed(failure)
    self[phase].pass?.unfinished -= 1
    registry[item.name]?.outcome = .failed(failure)
    tellEnd(of: item.name)
    if item.declaration?.isOptional == true {
      block(place, phase, with: failure, at: now)
    } else {
      fail(phase, with: failure, at: now)
    }
  }

  /// The dependents of a failed optional item can't run; if one of them isn't optional, the pass fails (S8).
  mutating func block(_ place: Int, _ phase: Phase, with failure: Failure, at now: Instant) {
    guard let plan = self[phase].pass?.plan else { return }
    if plan.items[place].isNeeded { return fail(phase, with: failure, at: now) }
    var reached = [place]
    while let next = reached.popLast() {
      for dependent in plan.items[next].dependents {
        guard self[phase].pass?.standings[dependent].isTerminal == false else { continue }
        self[phase].pass?.standings[dependent] = .blocked
        self[phase].pass?.unfinished -= 1
        let name = plan.items[dependent].name
        registry[name]?.outcome = .notRun(by: plan.items[place].name, failure)
        touch(name)
        reached.append(dependent)
      }
    }
  }

  /// The index of the run's item in its pass, if that item still belongs to this run.
  private mutating func place(of run: Run, _ number: Int) -> Int? {
    // A run's number is unique, so the standing shows whether the item is still this run's.
    inPass(run.phase) { $0.isRunning(number, at: run.place) } == true ? run.place : nil
  }

  /// A cancelled run, or one of a removed name, doesn't count (S12, S21): if its pass continues, the initializer gets another turn.
  private mutating func recallPlace(of run: Run, _ number: Int) {
    guard let place = place(of: run, number), let pass = self[run.phase].pass else { return }
    guard pass.stage == .running else {
      self[run.phase].pass?.standings[place] = .cancelled
      return
    }
    let open = pass.plan.items[place].dependencies.count { !pass.standings[$0].isTerminal }
    self[run.phase].pass?.standings[place] = open == 0 ? .ready(attempt: 1) : .waiting(open)
    if open == 0 { self[run.phase].pass?.makeReady(place, attempt: 1) }
  }

  /// Why a run that was asked to stop counts as cancelled; not used for timeouts.
  func cancellation(of run: Run) -> RunRecord.Cancellation {
    switch run.state {
    case .stopping(.unregistered): return .unregistered
    case .stopping(.shutdown): return .shutdown
    case .stopping(.failed):
      // A pass that was cancelled after it had failed ends as cancelled (S14).
      guard case .failing(let failure)? = self[run.phase].pass?.stage else { return .deactivated }
      return .failed(failure)
    case .running, .stopping(.deactivated), .stopping(.timeout): return .deactivated
    }
  }

  private mutating func record(
    _ run: Run, _ number: Int, _ outcome: RunRecord.Outcome, at now: Instant,
    saying more: (inout RunRecord) -> Void = { _ in }
  ) {
    var record = RunRecord(run, number, at: now)
    record.outcome = outcome
    more(&record)
    effects.append(.publish(.runEnded(record)))
  }
}
