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
    guard let (attempt, item) = inPass(phase, { $0.startable(place) }) ?? nil else { return }
    guard let declaration = item.declaration, let entry = number(of: item),
      let provider = registry.entries[entry].provider
    else {
      self[phase].pass?.unprovided.append(place)
      return
    }
    lastRun += 1
    let number = lastRun
    guard let (pass, lastCompletion) = inPass(phase, { $0.start(number, of: place, declaration) }) else { return }
    let (ready, waitedFor) = lastCompletion.map { ($0, declaration.dependencies) } ?? wait(of: declaration, phase)
    var worker: WorkerID?
    var process: Int32?
    var provided: Instant?
    if case .worker(let id, let pid, let since) = provider { (worker, process, provided) = (id, pid, since) }
    let deadline = declaration.timeout.map { now + $0 }
    if deadline != nil { deadlines[.timeout(number)] = deadline }
    registry.entries[entry].start(number, attempt: attempt, pass: pass, phase, at: now)
    runs[number] = Run(
      initializer: item.name, place: place, entry: entry, pass: pass, phase: phase, attempt: attempt, started: now,
      ready: ready, waitedFor: waitedFor, provided: provided, freed: lastEnd,
      attempts: declaration.retry.attempts, worker: worker, process: process, deadline: deadline)
    touch(entry)
    effects.append(
      .startRun(
        RunStart(
          run: number, initializer: item.name, pass: pass, phase: phase, attempt: attempt,
          timeout: declaration.timeout, worker: worker, number: entry)))
  }

  /// Since when an initializer could start, and which of its dependencies ran before it in its pass.
  private func wait(of declaration: Declaration, _ phase: Phase) -> (ready: Instant, waitedFor: [String]) {
    guard let pass = self[phase].pass else { return (.zero, []) }
    var (ready, waitedFor) = (pass.opened, [String]())
    for name in declaration.dependencies {
      guard let instant = pass.completion(of: name, number: registry.number(of: name)) else { continue }
      ready = max(ready, instant)
      waitedFor.append(name)
    }
    // The history keeps many of these arrays, so it gets the same array if all of them ran.
    return (ready, waitedFor.count == declaration.dependencies.count ? declaration.dependencies : waitedFor)
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
    lastEnd = RunEnd(run.initializer, at: now)
    let entry = registry.number(of: run.initializer, formerly: run.entry)
    if let entry { registry.entries[entry].end(number, after: now - run.started) }
    switch (run.state, result) {
    case (.running, .success): complete(run, number, entry, at: now)
    case (.running, .failure(let cause)): failAttempt(run, number, entry, cause.bounded, at: now)
    case (.stopping(.timeout), _):
      failAttempt(run, number, entry, .timeout(after: (run.deadline ?? now) - run.started), at: now)
    case (.stopping(.deactivated), _), (.stopping(.failed), _), (.stopping(.unregistered), _),
      (.stopping(.shutdown), _):
      let cancellation = cancellation(of: run)
      record(run, number, .cancelled, at: now) { $0.cancelled = cancellation }
      recallPlace(of: run, number)
      conclude(entry, as: .cancelled(by: cancellation.culprit))
    }
  }

  /// The end of a run is the outcome of its initializer, unless that isn't registered any more.
  private mutating func conclude(_ entry: Int?, as outcome: Entry.Outcome) {
    guard let entry else { return }
    registry.entries[entry].outcome = outcome
    tellEnd(of: entry)
  }

  private mutating func complete(_ run: Run, _ number: Int, _ entry: Int?, at now: Instant) {
    record(run, number, .complete, at: now)
    if let place = place(of: run, number) {
      inPass(run.phase) { $0.complete(place, at: now) }
    } else {
      self[run.phase].pass?.completed[run.initializer] = now
    }
    guard let entry else { return }
    registry.entries[entry].complete(in: run.phase)
    registry.entries[entry].completedBy = run.process
    noteCompletion(of: entry)
    tellEnd(of: entry)
  }

  private mutating func failAttempt(_ run: Run, _ number: Int, _ entry: Int?, _ cause: Cause, at now: Instant) {
    let (phase, name) = (run.phase, run.initializer)
    if run.isOfRemovedName {
      record(run, number, .failed(cause), at: now)
      recallPlace(of: run, number)
      return conclude(entry, as: .failed(.initializerFailed(name, cause)))
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
    guard let place else { return conclude(entry, as: .failed(failure)) }
    if let entry { registry.entries[entry].outcome = .failed(failure) }
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
    self[phase].pass?.standings[place] = .failed
    self[phase].pass?.failures[place] = failure
    self[phase].pass?.unfinished -= 1
    conclude(self.number(of: item), as: .failed(failure))
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
      for dependent in plan.dependents[next] {
        guard self[phase].pass?.standings[dependent].isTerminal == false else { continue }
        self[phase].pass?.standings[dependent] = .blocked
        self[phase].pass?.unfinished -= 1
        reached.append(dependent)
        guard let number = number(of: plan.items[dependent]) else { continue }
        registry.entries[number].outcome = .notRun(by: plan.items[place].name, failure)
        touch(number)
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
    let open = pass.plan.dependencies[place].count { !pass.standings[$0].isTerminal }
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
    guard configuration.publishesInitializers else { return }
    var record = RunRecord(run, number, at: now)
    record.outcome = outcome
    more(&record)
    effects.append(.publish(.runEnded(record)))
  }
}
