import InitCore
import InitWords

/// The machine did something that the rules don't allow.
struct Broken: Error, CustomStringConvertible {
  let description: String
}

/// A world around a machine: carries out its effects naively, keeps its own records of them, and throws if a rule is broken.
///
/// The records are kept from events and effects alone; they read from the machine only what can't be known otherwise. The checks of each
/// step are listed in `NaiveWorld+check`.
struct NaiveWorld {
  struct BookedRun: Hashable {
    let name: String
    let pass: PassID
    let phase: Phase
    let worker: WorkerID?
    /// Whether the run no longer needs its worker, and that worker's process then.
    var isDetached = false
    var process: Int32?
    let attempt: Int
    let started: Instant
    var deadline: Instant?
    /// The failure of the initializer's last try, as the text of its timeout (S31).
    var lastTry: String?
    /// The last message of the run's progress.
    var lastMessage: String?
    /// The text of the run's timeout, besides its length.
    var timeoutWords: String? { lastTry ?? lastMessage }
    var told: CancelReason?
    var toldAt: Instant?
    var cancelledBy: String?
    var isKilled = false
    /// The group when the run started.
    var group: String?
    let takesSlot: Bool
    /// Whether the name was removed since the run started.
    var isOfRemovedName = false
  }

  struct BookedWorker: Hashable {
    var process: Int32?
    var names: Set<String> = []
  }

  var machine: Machine
  /// The same machine without notices of initializers and ends of runs, if that is tested: it must decide the same.
  var mute: Machine?
  var now: Instant = .zero
  /// The names that the program and its manifest declared, and whether a worker has to provide them.
  var fixed: [String: ProviderKind]

  var runs: [RunID: BookedRun] = [:]
  var passes: [Phase: PassID] = [:]
  var workers: [WorkerID: BookedWorker] = [:]
  var record: StateRecord
  var snapshots: [String: InitializerSnapshot] = [:]
  /// The state of an observer that has taken the first snapshot and then followed the notices, in its order.
  var replayed: [InitializerSnapshot] = []
  /// The abandoned passes, until they have ended.
  var abandoned: Set<PassID> = []

  var isActive = false
  var isHeldPlainly = false
  var holds: Set<HoldID> = []
  var isLaunchAskedFor = false
  var isEnding = false
  var isFinished = false

  /// The completed initializers of each phase, and the process in which they completed.
  var done: [Phase: Set<String>] = [.launch: [], .active: []]
  var completedBy: [String: Int32] = [:]
  /// Initializers that completed in an earlier process, and haven't been registered since.
  var remembered: Set<String> = []
  /// The initializers that run again in the next pass of each phase, until that begins (S26, S27).
  var due: [Phase: Set<String>] = [.launch: [], .active: []]
  /// The initializers that must run again only because a reload changed their own work: the next run has the new work (S27).
  var outdated: [Phase: Set<String>] = [.launch: [], .active: []]
  /// The initializers that run again in the pass in flight once their run has ended: their work was changed, and an initializer that hasn't
  /// started needs them (S27).
  var renewed: [Phase: Set<String>] = [.launch: [], .active: []]
  /// Whether an active pass that was requested for these runs everything, because of a later activation.
  var isEntryAsked = false
  /// The initializers with a dependency that has started since they completed, or started (S26).
  var stale: Set<String> = []
  /// The initializers between two attempts, which will have the next attempt even if a reload has taken it from the policy.
  var promised: Set<String> = []
  var staleRemembered: Set<String> = []
  /// The completed initializers of the current pass, and the number of failures of the others.
  var doneInPass: [Phase: Set<String>] = [.launch: [], .active: []]
  var failuresInPass: [Phase: [String: Int]] = [.launch: [:], .active: [:]]
  /// The initializers that an operator has cancelled in the current pass: none of them starts again in it.
  var cancelledInPass: [Phase: Set<String>] = [.launch: [], .active: []]
  /// A run of the current pass was cancelled because of the pass: no further run may start.
  var isStopping: [Phase: Bool] = [:]
  /// An optional initializer of the pass in flight has failed, which may or may not stop the pass.
  var isInDoubt: [Phase: Bool] = [:]
  /// The open questions for conditions, and the initializers whose condition held in the pass in flight (S29).
  var checks: [Int: (name: String, phase: Phase)] = [:]
  var admitted: [Phase: Set<String>] = [.launch: [], .active: []]
  /// The initializers whose condition didn't hold, and that haven't run since.
  var leftOut: Set<String> = []
  /// The fingerprints of completed initializers that may be fresh, unless something has undone the completion since (S30).
  var completedWith: [String: Fingerprint] = [:]
  /// The fingerprints at the time when the initializers' condition held in the pass in flight, and that time.
  var readWith: [Phase: [String: (fingerprint: Fingerprint, at: Instant)]] = [.launch: [:], .active: [:]]
  /// The initializer that the current step has to skip as fresh.
  var freshInStep: String?
  /// The initializers that have failed in the pass in flight, which keeps going (S28).
  var mustFailWith: [Phase: Set<String>] = [.launch: [], .active: []]
  /// The missing dependencies that initializers have failed with since the phase's last pass started (S20).
  var missing: [Phase: Set<Failure>] = [.launch: [], .active: []]
  /// The pass in flight has been cancelled.
  var isCancelled: [Phase: Bool] = [:]
  /// The outcome of the last ended pass of each phase.
  var outcome: [Phase: PassStatus] = [:]
  var lastPass: [Phase: PassID] = [:]
  var lastRun: RunID = 0
  var causes: [String: Set<Cause>] = [:]
  /// The state of each process, and the initializers whose process wasn't running when time passed (S32).
  var processes: [String: ProcessStanding] = [:]
  /// The processes that are ready although no run waited for that, since the last launch pass began (S32).
  var recovered: Set<String> = []
  var mayBeLost: Set<String> = []
  /// The processes that a person has stopped (S32).
  var stoppedByPerson: Set<String> = []
  var unhealthy: Set<String> = []
  /// The completed initializers with a stop, the last one last, and the current stop.
  var completions: [String] = []
  var areStopsRequested = false
  var isStopped = false
  var stopping: (run: RunID, since: Instant, isCancelled: Bool)?
  /// Runs that are over, for late reports of them.
  var over: [RunID] = []

  /// The expected ends of the current step.
  var expectedEnds: [RunID: RunRecord.Outcome] = [:]
  var startedInStep: Set<PassID> = []
  var endedInStep: [Phase: PassStatus] = [:]
  /// The initializers whose run has ended without a notice of the initializer so far, with the outcome.
  var untold: [String: RunRecord.Outcome] = [:]
  var hasStartedRuns = false
  /// Launch is retried, and with it the active pass that failed with it (S9).
  var retriesActive = false
  /// Names that only a worker without a connection had registered, and that a reload declares again.
  var replacedInStep: Set<String> = []

  init(_ configuration: Machine.Configuration, declared: [(Declaration, ProviderKind)]) {
    machine = Machine(configuration, declared: declared)
    fixed = Dictionary(declared.map { ($0.0.name, $0.1) }) { first, _ in first }
    record = machine.states
    replayed = machine.initializers
    for snapshot in replayed { snapshots[snapshot.declaration.name] = snapshot }
  }

  /// Applies an event and carries out all effects.
  ///
  /// Rethrows a refusal, after checking that the machine is unchanged.
  @discardableResult
  mutating func take(_ event: Event) throws -> [Effect] {
    let before = self
    var effects: [Effect] = []
    do {
      effects = try machine.apply(event, at: now)
    } catch {
      try require(machine == before.machine, "a refused event changed the machine")
      try check(error, of: event)
      throw error
    }
    if let told = try mute?.apply(event, at: now) {
      let heard = effects.filter { effect in
        switch effect {
        case .publish(.initializer), .publish(.runEnded): false
        default: true
        }
      }
      try require(told == heard, "without notices of initializers and ends of runs, the other effects differ")
      try require(mute?.initializers == machine.initializers, "without notices, the initializers differ")
    }
    startedInStep = []
    endedInStep = [:]
    expectedEnds = [:]
    untold = [:]
    hasStartedRuns = false
    retriesActive = false
    replacedInStep = []
    freshInStep = nil
    try note(event, before, effects)
    for effect in effects { try carryOut(effect, event) }
    forgetUnwantedFailures()
    // A new plan asks again.
    checks = checks.filter { machine.isAwaiting(check: $0.key) }
    try check(after: event)
    return effects
  }

  func require(_ holds: Bool, _ law: @autoclosure () -> String) throws {
    if !holds { throw Broken(description: law()) }
  }

  // MARK: Notices

  private mutating func note(_ event: Event, _ before: NaiveWorld, _ effects: [Effect]) throws {
    switch event {
    case .started: if machine.configuration.launchesAtStart { noteLaunch() }
    case .remembered(let names, let stale, let fingerprints): noteMemory(names, stale, fingerprints, before)
    case .launched: noteLaunch()
    case .activated(let hold):
      isActive = true
      if let hold { holds.insert(hold) } else { isHeldPlainly = true }
      let isAdded = hold != nil && before.isActive && !before.hasActiveFailed
      if passes[.active] != nil, !isAdded, isStopping[.active] == true || isCancelled[.active] == true {
        isEntryAsked = true
      }
    case .holdReleased(let hold):
      if holds.remove(hold) != nil, holds.isEmpty, !isHeldPlainly { noteDeactivation() }
    case .deactivated: noteDeactivation()
    case .workerRegistered(let worker, let process, let registrations):
      for registration in registrations { noteRegistration(registration, worker, process) }
    case .workerUnregistered(let worker, let names): for name in names { noteUnregistration(name, worker) }
    case .workerDisconnected(let worker):
      workers[worker] = nil
      for number in runs.keys.sorted() where runs[number]?.worker == worker {
        if runs[number]?.isDetached == false { noteEnd(number, .failure(.workerLost)) }
      }
    case .runDetached(let run):
      runs[run]?.isDetached = true
      let process = runs[run]?.worker.flatMap { workers[$0]?.process }
      runs[run]?.process = process
      try require(effects.isEmpty, "S21: a run that doesn't need its worker had an effect")
    case .runProgressed(let number, _, let message, let extend):
      if runs[number] == nil || runs[number]?.told != nil {
        try require(effects.isEmpty && machine == before.machine, "S12: late progress of run \(number) had an effect")
      } else {
        if let extend, runs[number]?.deadline != nil { runs[number]?.deadline = now + extend }
        if let message { runs[number]?.lastMessage = message.isEmpty ? nil : message }
      }
      let states = effects.contains { if case .publish(.state) = $0 { true } else { false } }
      try require(!states, "S17: progress changed a state")
    case .runTried(let number, let failure, let tries):
      guard runs[number] != nil, runs[number]?.told == nil else {
        return try require(
          effects.isEmpty && machine == before.machine, "S12: a late try of run \(number) had an effect")
      }
      runs[number]?.lastTry = "\(failure) (\(tries) \(tries == 1 ? "try" : "tries"))"
      let told = before.machine.initializers.first { $0.run?.id == number }?.run?.progress?.message
      try require(told != failure || effects.isEmpty, "S31: a try that failed like the one before is published")
    case .processEnded(let name):
      let isProcess = fixed[name] == .process
      let isDone = Phase.allCases.contains { done[$0]?.contains(name) == true }
      let wasRecovered = recovered.remove(name) != nil
      if isEnding || !isProcess || !isDone {
        try require(
          effects.isEmpty && (wasRecovered || machine == before.machine),
          "S32: the end of \(name)'s process had an effect")
      } else {
        for phase in Phase.allCases { done[phase]?.remove(name) }
        noteLostEffect(of: name)
        let known = due
        let knownOutdated = outdated
        due = [.launch: [], .active: []]
        if before.machine.initializer(named: name)?.declaration.rerunsDependents == true {
          noteDue([name], [], true)
          due[.launch]?.remove(name)
          // Initializers that haven't started wait for the named initializer, and run once.
          for phase in Phase.allCases { due[phase] = due[phase]?.filter { before.hasStarted($0, in: phase) } }
        }
        noteRenewals(known)
        forgetUndeferred(known, knownOutdated)
        if due[.launch]?.contains(name) == true { outdated[.launch]?.insert(name) }
      }
    case .runFinished(let number, let result):
      try checkLateResult(number, before, effects)
      noteEnd(number, result)
    case .rerunRequested(let names, let withDependents): try noteRerun(names, withDependents, before)
    case .reloaded(let reload): noteReload(reload, before)
    case .runsCancelled(let names, let user): try noteCancellation(names, user, before)
    case .conditionChecked(let number, let unmet, let fingerprint):
      guard before.machine.isAwaiting(check: number), let (name, phase) = checks.removeValue(forKey: number) else {
        break
      }
      let isFresh = unmet == nil && isFresh(name, fingerprint)
      if unmet == nil, !isFresh {
        admitted[phase]?.insert(name)
        readWith[phase]?[name] = fingerprint.map { ($0, now) }
      } else {
        done[phase]?.insert(name)
        doneInPass[phase]?.insert(name)
        leftOut.insert(name)
      }
      guard isFresh else { break }
      freshInStep = name
      try require(
        effects.contains(.reuseOutput(name, phase)), "S30: \(name) is fresh, and its dependents don't get its output")
      if machine.initializer(named: name)?.declaration.hasStop == true, !completions.contains(name) {
        completions.append(name)
      }
    case .processReady(let name):
      if isEnding || fixed[name] != .process {
        try require(effects.isEmpty && machine == before.machine, "S32: \(name) is ready, which had an effect")
      } else {
        recovered.insert(name)
        if isRecovered { noteLaunch() }
      }
    case .processStopped(let name):
      guard !isEnding, stoppedByPerson.insert(name).inserted else {
        return try require(effects.isEmpty && machine == before.machine, "S32: \(name) is stopped already")
      }
      guard fixed[name] == .process else { break }
      recovered.remove(name)
      due[.launch]?.remove(name)
      outdated[.launch]?.remove(name)
      doneInPass[.launch]?.remove(name)
      failuresInPass[.launch]?[name] = nil
      guard Phase.allCases.contains(where: { done[$0]?.contains(name) == true }) else { break }
      for phase in Phase.allCases { done[phase]?.remove(name) }
      noteLostEffect(of: name)
    case .processAnswered(let name, let isUp):
      guard !isEnding, stoppedByPerson.contains(name), fixed[name] == .process,
        !before.runs.values.contains(where: { $0.name == name })
      else { break }
      if isUp {
        done[.launch]?.insert(name)
      } else if Phase.allCases.contains(where: { done[$0]?.contains(name) == true }) {
        for phase in Phase.allCases { done[phase]?.remove(name) }
        noteLostEffect(of: name)
      }
    case .processHealthChanged(let name, let isHealthy):
      if isEnding { break }
      if isHealthy { unhealthy.remove(name) } else { unhealthy.insert(name) }
    case .processStarted(let name):
      guard !isEnding else {
        return try require(effects.isEmpty && machine == before.machine, "S24: \(name) is started at the shutdown")
      }
      stoppedByPerson.remove(name)
      guard fixed[name] == .process, case .failed(let failure) = outcome[.launch], passes[.launch] == nil,
        failure.all.contains(where: { $0.initializer == name })
      else { break }
      recovered.insert(name)
      if isRecovered { noteLaunch() }
    case .processChanged(let name, let standing):
      if isEnding {
        try require(effects.isEmpty && machine == before.machine, "S24: \(name) changes something at the shutdown")
      } else {
        processes[name] = standing
      }
      guard case .ended(let cause) = standing else { break }
      for each in registered(by: name) { causes[each.name, default: []].insert(cause) }
    case .timePassed:
      for each in machine.initializers.map(\.declaration) {
        guard let process = each.process else { continue }
        if processes[process] != .alive { mayBeLost.insert(each.name) }
        if let timeout = each.timeout {
          causes[each.name, default: []].insert(.timeout(after: timeout, message: "\(process) has not registered it"))
        }
      }
    case .stopsRequested: if isFinished { areStopsRequested = true }
    case .stopEnded(let run): if stopping?.run == run { stopping = nil }
    case .shutdownRequested:
      isEnding = true
      due = [.launch: [], .active: []]
      outdated = due
      for phase in passes.keys { isCancelled[phase] = true }
    }
  }

  /// Records a lost effect: an initializer that completed in the pass in flight runs again in it if an initializer that hasn't started
  /// needs it (S6, S22, S32).
  private mutating func noteLostEffect(of name: String) {
    for phase in Phase.allCases where needed(in: phase).all.contains(name) {
      // One that has completed in another pass, and is between two attempts in this one, keeps their count (S16).
      guard doneInPass[phase]?.remove(name) != nil else { continue }
      failuresInPass[phase]?[name] = nil
    }
  }

  /// Returns the initializers that the pass in flight still has to start, and all of their direct and indirect dependencies.
  private func needed(in phase: Phase) -> (all: Set<String>, open: Set<String>) {
    guard passes[phase] != nil, isStopping[phase] != true, isCancelled[phase] != true else { return ([], []) }
    let all = machine.initializers.map(\.declaration)
    var needed = Set(
      all.filter { each in
        let status = snapshots[each.name]?.status
        return each.priority == phase.priority && isSelected(each.name) && !isSkipped(each.name)
          && done[phase]?.contains(each.name) != true && doneInPass[phase]?.contains(each.name) != true
          && failuresInPass[phase]?[each.name] == nil && status != .failed && status != .notRun
          && !runs.values.contains { $0.name == each.name && $0.phase == phase }
      }.map(\.name))
    let open = needed
    var count = 0
    while count != needed.count {
      count = needed.count
      for each in all where needed.contains(each.name) && !isSkipped(each.name) { needed.formUnion(each.dependencies) }
    }
    return (needed, open)
  }

  /// Returns whether an initializer has completed for a phase, or runs in it and wasn't asked to stop.
  private func hasStarted(_ name: String, in phase: Phase) -> Bool {
    done[phase]?.contains(name) == true
      || runs.values.contains { $0.name == name && $0.phase == phase && $0.told == nil }
  }

  /// Returns the initializers that a process registers (S32).
  private func registered(by process: String) -> [Declaration] {
    machine.initializers.map(\.declaration).filter { $0.process == process }
  }

  /// Returns whether an initializer completed with the same fingerprint, recently enough, and nothing has undone that since (S30); that a
  /// dependency ran again doesn't matter if it is done once (S37).
  private func isFresh(_ name: String, _ fingerprint: Fingerprint?) -> Bool {
    guard let freshness = machine.initializer(named: name)?.declaration.freshness, let fingerprint,
      let completed = completedWith[name], freshness.isEver || !stale.contains(name),
      completed.digest == fingerprint.digest
    else { return false }
    guard let limit = freshness.limit else { return true }
    return completed.moment <= fingerprint.moment && fingerprint.moment < completed.moment + limit
  }

  /// Records that each cancelled initializer fails: a run once it has stopped, a delay at once (S34).
  private mutating func noteCancellation(_ names: [String], _ user: String, _ before: NaiveWorld) throws {
    for name in names {
      causes[name, default: []].insert(.operator(user: user))
      let snapshot = before.snapshots[name]
      // Another pass in which it was between two attempts may also have been cancelled since.
      let hasFailed = passes.keys.contains { failuresInPass[$0]?[name] != nil }
      let isBetweenAttempts = snapshot?.status == .waiting && (snapshot?.failure != nil || hasFailed)
      let numbers = runs.keys.filter { runs[$0]?.name == name }
      try require(
        isBetweenAttempts || !numbers.isEmpty,
        "S34: \(name) is cancelled, which is \(String(describing: snapshot?.status))")
      for number in numbers {
        guard let run = runs[number] else { continue }
        // A run that has timed out isn't told to stop again.
        if run.told == .timeout, isStopping[run.phase] != true { noteOperator(run, number, user) }
      }
      guard isBetweenAttempts else { continue }
      for phase in passes.keys
      where failuresInPass[phase]?[name] != nil
        && !runs.values.contains(where: { $0.name == name && $0.phase == phase })
      {
        noteFailureByOperator(of: name, in: phase)
      }
    }
  }

  private mutating func noteOperator(_ run: BookedRun, _ number: RunID, _ user: String) {
    runs[number]?.cancelledBy = user
    noteFailureByOperator(of: run.name, in: run.phase)
  }

  /// Records that the initializer fails without another attempt, and so does its pass, unless the initializer is optional (S8, S34).
  private mutating func noteFailureByOperator(of name: String, in phase: Phase) {
    guard let declaration = machine.initializer(named: name)?.declaration, isWanted(name, in: phase) else { return }
    cancelledInPass[phase]?.insert(name)
    noteEndOfAttempts(of: declaration, in: phase)
  }

  /// Records that the initializers must run again in the next pass of their phase, which is requested now (S26).
  private mutating func noteRerun(_ names: [String], _ withDependents: Bool, _ before: NaiveWorld) throws {
    let priorities = Dictionary(
      uniqueKeysWithValues: machine.initializers.map { ($0.declaration.name, $0.declaration.priority) })
    try require(
      isActive || names.allSatisfy { priorities[$0] == .appLaunch },
      "S26: \(names) run again, although the app is inactive")
    try require(
      names.allSatisfy { isSelected($0) && !isSkipped($0) }, "S28: \(names) run again, although one is left out")
    let launched = names.filter { priorities[$0] == .appLaunch }
    noteDue(launched, names.filter { priorities[$0] == .appActive }, withDependents)
    noteDue(spreading(launched), [], true)
    for pass in machine.passes(rerunning: names, withDependents: withDependents) {
      let phase: Phase = pass == machine.states.launch.pass ? .launch : .active
      try require(pass > lastPass[phase] ?? 0, "S26: the rerun answers with pass \(pass), which began before")
    }
    if due[.launch]?.isEmpty == false, passes[.launch] == nil {
      noteLaunch()
      if retriesActive {
        due[.active] = []
        outdated[.active] = []
      }
    }
  }

  /// Returns the processes whose dependents run again after each of their restarts (S32).
  private func spreading(_ launched: [String]) -> [String] {
    launched.filter { name in
      fixed[name] == .process && machine.initializer(named: name)?.declaration.rerunsDependents == true
    }
  }

  /// Records initializers that run again in launch, and in an active pass.
  private mutating func noteDue(_ launched: [String], _ active: [String], _ withDependents: Bool) {
    var launched = Set(launched)
    var active = Set(active)
    if withDependents {
      active.formUnion(dependents(of: active, in: .active).filter(isSelected))
      let others = dependents(of: launched, in: .launch).filter(isSelected)
      if isActive {
        active.formUnion(others.filter { machine.initializer(named: $0)?.declaration.priority == .appActive })
      }
      launched.formUnion(others)
    }
    due[.launch]?.formUnion(launched)
    due[.active]?.formUnion(active)
    outdated[.launch]?.subtract(launched)
    outdated[.active]?.subtract(active)
  }

  /// Returns the direct and indirect dependents; in the active phase only active initializers.
  func dependents(of names: Set<String>, in phase: Phase) -> Set<String> {
    var reached = names
    var count = 0
    let declarations = machine.initializers.map(\.declaration)
    while count != reached.count {
      count = reached.count
      for each in declarations
      where (phase == .launch || each.priority == .appActive) && !isSkipped(each.name) {
        if !reached.isDisjoint(with: each.dependencies) { reached.insert(each.name) }
      }
    }
    return reached.subtracting(names)
  }

  /// Records a reload: an initializer that has completed, or runs, and has other work now, runs again; names are added and removed (S27).
  private mutating func noteReload(_ reload: Reload, _ before: NaiveWorld) {
    let stale = reload.added.map(\.declaration.name).filter { name in
      before.snapshots[name] != nil && !workers.values.contains { $0.names.contains(name) }
    }
    replacedInStep = Set(stale)
    for name in reload.removed + stale {
      for worker in workers.keys { workers[worker]?.names.remove(name) }
      fixed[name] = nil
      completions.removeAll { $0 == name }
      noteUnregistration(name, nil)
      for phase in Phase.allCases {
        doneInPass[phase]?.remove(name)
        due[phase]?.remove(name)
        outdated[phase]?.remove(name)
      }
    }
    for addition in reload.added {
      let name = addition.declaration.name
      fixed[name] = addition.kind
      remembered.remove(name)
      staleRemembered.remove(name)
    }
    var launched: [String] = []
    var active: [String] = []
    var ownWork: [Phase: Set<String>] = [:]
    for change in reload.changed {
      let name = change.declaration.name
      if fixed[name] != change.kind { for worker in workers.keys { workers[worker]?.names.remove(name) } }
      fixed[name] = change.kind
      let wasComplete = before.snapshots[name]?.status == .complete || before.snapshots[name]?.skipReason == .fresh
      if change.isOfWork { completedWith[name] = nil }
      if !change.declaration.hasStop { completions.removeAll { $0 == name } }
      if change.declaration.hasStop, wasComplete, !completions.contains(name) { completions.append(name) }
      for phase in Phase.allCases { admitted[phase]?.remove(name) }
      guard change.isOfWork else { continue }
      for phase in Phase.allCases {
        // A run that was asked to stop doesn't complete, and a process that is starting is stopped.
        let isProcess = before.fixed[name] == .process
        let runs = !isProcess && runs.values.contains { $0.name == name && $0.phase == phase && $0.told == nil }
        let isDone = done[phase]?.contains(name) == true
        guard runs || isDone else { continue }
        ownWork[phase, default: []].insert(name)
        if phase == .launch { launched.append(name) } else { active.append(name) }
      }
    }
    let before = due
    let outdatedBefore = outdated
    due = [.launch: [], .active: []]
    noteDue(launched, active, reload.withDependents)
    let restarted = spreading(launched)
    noteDue(restarted, [], true)
    let isSeveral = (reload.withDependents || !restarted.isEmpty) && launched.count + active.count > 1
    for phase in Phase.allCases where !isSeveral {
      let others = before[phase, default: []].subtracting(outdatedBefore[phase, default: []])
      outdated[phase]?.formUnion(ownWork[phase, default: []].subtracting(others))
    }
    noteRenewals(before)
    forgetUndeferred(before, outdatedBefore)
  }

  /// Records which initializers run again in the pass in flight: those that must run again since `before`, aren't in `due` now, and that
  /// something in the pass needs (S6).
  private mutating func noteRenewals(_ before: [Phase: Set<String>]) {
    for phase in Phase.allCases {
      let (needed, open) = needed(in: phase)
      let now = due[phase, default: []].intersection(needed)
      due[phase] = due[phase, default: []].subtracting(needed).union(before[phase, default: []])
      outdated[phase]?.subtract(now.subtracting(before[phase, default: []]))
      for name in now.subtracting(open) {
        if runs.values.contains(where: { $0.name == name && $0.phase == phase && $0.told == nil }) {
          renewed[phase]?.insert(name)
        } else {
          done[phase]?.remove(name)
          doneInPass[phase]?.remove(name)
          failuresInPass[phase]?[name] = nil
          completedWith[name] = nil
        }
      }
    }
  }

  /// Drops the completions of initializers that must run again since `before` at once, unless a pass is to come.
  private mutating func forgetUndeferred(_ before: [Phase: Set<String>], _ outdatedBefore: [Phase: Set<String>]) {
    for phase in Phase.allCases {
      let new = due[phase, default: []].subtracting(before[phase, default: []])
      if !isRerunDeferred(phase) {
        due[phase] = before[phase]
        outdated[phase] = outdatedBefore[phase]
        done[phase]?.subtract(new)
        for name in new { completedWith[name] = nil }
      }
    }
  }

  /// Returns whether an initializer that must run again loses its completion only when the next pass begins.
  private func isRerunDeferred(_ phase: Phase) -> Bool {
    let newest = phase == .launch ? machine.states.launch.pass : machine.states.active.pass
    return newest ?? 0 > lastPass[phase] ?? 0 && (phase == .launch || isActive)
  }

  private mutating func noteMemory(
    _ names: [String], _ stale: Set<String>, _ fingerprints: [String: Fingerprint], _ before: NaiveWorld
  ) {
    guard before.machine.states.launch.pass == nil else { return }
    staleRemembered = stale.intersection(names)
    for name in names {
      guard let snapshot = snapshots[name] else {
        remembered.insert(name)
        continue
      }
      let isChecked = [.inProcess, .waitFor, .process].contains(snapshot.provider)
      if !isChecked, !snapshot.declaration.isPerProcess, !isSkipped(name) {
        if stale.contains(name) { self.stale.insert(name) }
        if snapshot.declaration.freshness != nil {
          completedWith[name] = fingerprints[name]
        } else {
          done[.launch]?.insert(name)
          noteCompletion(name)
        }
      }
    }
  }

  private mutating func noteLaunch() {
    isLaunchAskedFor = true
    if case .failed = outcome[.launch], passes[.launch] == nil {
      retriesActive = outcome[.active] == outcome[.launch] && passes[.active] == nil
    }
    if case .failed = outcome[.launch], outcome[.active] == outcome[.launch], passes[.active] == nil {
      outcome[.active] = nil
    }
  }

  /// Whether launch has failed, and only because of processes that are ready now (S32).
  private var isRecovered: Bool {
    guard case .failed(let failure) = outcome[.launch], passes[.launch] == nil else { return false }
    return failure.all.allSatisfy { each in
      guard case .initializerFailed(let name, _) = each else { return false }
      return recovered.contains(name)
    }
  }

  private mutating func noteDeactivation() {
    isActive = false
    isHeldPlainly = false
    holds = []
    due[.active] = []
    outdated[.active] = []
    isEntryAsked = false
    if passes[.active] != nil { isCancelled[.active] = true }
  }

  /// Whether the newest active pass has failed, or is about to.
  var hasActiveFailed: Bool {
    if case .failed = outcome[.active], passes[.active] == nil { return true }
    return passes[.active] != nil && isStopping[.active] == true && isCancelled[.active] != true
      && machine.states.active.pass == passes[.active]
  }

  private mutating func noteRegistration(_ registration: Registration, _ worker: WorkerID, _ process: Int32?) {
    let name = registration.name
    workers[worker, default: BookedWorker()].process = process
    workers[worker, default: BookedWorker()].names.insert(name)
    let isPerProcess = machine.initializer(named: name)?.declaration.isPerProcess == true
    let isKnown = snapshots[name] != nil
    if snapshots[name] == nil, remembered.remove(name) != nil, !isPerProcess {
      done[.launch]?.insert(name)
      if staleRemembered.contains(name) { stale.insert(name) }
    }
    guard isPerProcess, process == nil || completedBy[name] != process else { return }
    let isDone = Phase.allCases.contains { done[$0]?.contains(name) == true }
    for phase in Phase.allCases { done[phase]?.remove(name) }
    // The completion of a name that was removed stays valid in its pass (S21).
    if isKnown, isDone { noteLostEffect(of: name) }
    completedBy[name] = nil
    completedWith[name] = nil
  }

  private mutating func noteUnregistration(_ name: String, _ worker: WorkerID?) {
    if let worker { workers[worker]?.names.remove(name) }
    guard fixed[name] == nil else { return }
    for number in runs.keys where runs[number]?.name == name { runs[number]?.isOfRemovedName = true }
    for phase in Phase.allCases {
      done[phase]?.remove(name)
      failuresInPass[phase]?[name] = nil
      cancelledInPass[phase]?.remove(name)
      // Initializers that only the removed initializer needed are no longer part of the pass.
      for other in failuresInPass[phase, default: [:]].keys where !isWanted(other, in: phase) {
        failuresInPass[phase]?[other] = nil
      }
    }
    completedBy[name] = nil
    completedWith[name] = nil
    stale.remove(name)
  }

  /// Removes failures of initializers that have left the pass: they aren't needed, and neither wait nor run.
  private mutating func forgetUnwantedFailures() {
    for phase in Phase.allCases {
      for name in failuresInPass[phase, default: [:]].keys
      where snapshots[name]?.status != .waiting && !runs.values.contains(where: { $0.name == name }) {
        if !isWanted(name, in: phase) { failuresInPass[phase]?[name] = nil }
      }
    }
  }

  /// Checks that the result of a cancelled run has no effect: the opposite result leads to the same machine (S12).
  private func checkLateResult(_ number: RunID, _ before: NaiveWorld, _ effects: [Effect]) throws {
    guard let run = runs[number] else {
      return try require(
        effects.isEmpty && machine == before.machine, "S12: a late result of run \(number) had an effect")
    }
    guard run.told != nil else { return }
    for result in [RunResult.success, .failure(.exit(status: 77))] {
      var other = before.machine
      let others = try other.apply(.runFinished(run: number, result), at: now)
      try require(
        other == machine && others == effects, "S12: the result of run \(number) counts, although it was asked to stop")
    }
  }

  private mutating func noteEnd(_ number: RunID, _ result: RunResult) {
    guard let run = runs.removeValue(forKey: number) else { return }
    over.append(number)
    switch (run.told, result) {
    case (nil, .success):
      expectedEnds[number] = .complete
      if renewed[run.phase]?.remove(run.name) != nil, passes[run.phase] == run.pass {
        noteCompletion(run.name)
        failuresInPass[run.phase]?[run.name] = nil
        return
      }
      done[run.phase]?.insert(run.name)
      noteCompletion(run.name)
      doneInPass[run.phase]?.insert(run.name)
      completedBy[run.name] = run.isDetached ? run.process : run.worker.flatMap { workers[$0]?.process }
      completedWith[run.name] = readWith[run.phase]?[run.name].map {
        Fingerprint($0.fingerprint.digest, at: $0.fingerprint.moment + (now - $0.at))
      }
    case (nil, .failure(let cause)): noteFailure(number, run, cause)
    case (.operator, _), (.timeout, _):
      let timeout = Cause.timeout(after: (run.deadline ?? now) - run.started, message: run.timeoutWords)
      noteFailure(number, run, run.cancelledBy.map { .operator(user: $0) } ?? timeout)
    case (.unregistered, _):
      expectedEnds[number] = .cancelled
      failuresInPass[run.phase]?[run.name] = nil
    case (.deactivated, _), (.failed, _), (.shutdown, _): expectedEnds[number] = .cancelled
    }
  }

  /// Records a completion: the last completed initializer is stopped first (S24).
  private mutating func noteCompletion(_ name: String) {
    completions.removeAll { $0 == name }
    if machine.initializer(named: name)?.declaration.hasStop == true { completions.append(name) }
  }

  private mutating func noteFailure(_ number: RunID, _ run: BookedRun, _ cause: Cause) {
    if run.told != nil, isCancelled[run.phase] == true {
      expectedEnds[number] = .cancelled
      return
    }
    expectedEnds[number] = .failed(cause)
    causes[run.name, default: []].insert(cause)
    guard !run.isOfRemovedName else { return }
    // The pass keeps no counts of initializers that it no longer needs.
    if isWanted(run.name, in: run.phase) { failuresInPass[run.phase]?[run.name, default: 0] += 1 }
    noteIfLast(run)
  }

  /// Records a failed last attempt: if the initializer isn't optional, it fails the pass (S8).
  private mutating func noteIfLast(_ run: BookedRun) {
    guard let declaration = machine.initializer(named: run.name)?.declaration, isWanted(run.name, in: run.phase) else {
      return
    }
    guard run.attempt >= declaration.retry.attempts || run.cancelledBy != nil else { return }
    noteEndOfAttempts(of: declaration, in: run.phase)
  }

  private mutating func noteEndOfAttempts(of declaration: Declaration, in phase: Phase) {
    if machine.configuration.keepsGoing {
      // A run that was asked to stop only counts when it has stopped.
      if !declaration.isOptional, runs.values.allSatisfy({ $0.name != declaration.name }) {
        mustFailWith[phase]?.insert(declaration.name)
      }
    } else if declaration.isOptional {
      isInDoubt[phase] = true
    } else {
      isStopping[phase] = true
    }
  }

  /// Returns whether the supervisor was told to skip the initializer (S28).
  func isSkipped(_ name: String) -> Bool { machine.configuration.skipped.contains(name) }

  /// Returns whether the initializer was selected, or a selected one needs it (S28).
  func isSelected(_ name: String) -> Bool {
    var selected = machine.configuration.only
    if selected.isEmpty { return true }
    var count = 0
    while count != selected.count {
      count = selected.count
      for each in machine.initializers
      where selected.contains(each.declaration.name) && !isSkipped(each.declaration.name) {
        selected.formUnion(each.declaration.dependencies)
      }
    }
    return selected.contains(name)
  }

  /// Returns whether the phase executes it: it belongs to the phase, or an initializer that the phase still has to execute depends on it.
  func isWanted(_ name: String, in phase: Phase) -> Bool {
    let through = done[phase, default: []].union(doneInPass[phase, default: []])
    let declarations = machine.initializers.map(\.declaration).filter {
      !through.contains($0.name) && !isSkipped($0.name)
    }
    var wanted = Set(declarations.filter { $0.priority == phase.priority && isSelected($0.name) }.map(\.name))
    var count = 0
    while count != wanted.count {
      count = wanted.count
      for declaration in declarations where wanted.contains(declaration.name) {
        wanted.formUnion(declaration.dependencies)
      }
    }
    return wanted.contains(name)
  }

  // MARK: Effects

  private mutating func carryOut(_ effect: Effect, _ event: Event) throws {
    switch effect {
    case .publish: break
    case .startStop, .cancelStop, .giveUpStop, .finishStops: try require(isFinished, "S24: \(effect) before finish")
    case .startRun, .cancelRun, .killRun, .checkCondition, .reuseOutput, .finish:
      try require(!isFinished, "S24: \(effect) after finish")
    }
    switch effect {
    case .startRun(let start): try carryOut(start)
    case .checkCondition(let check): try carryOut(check)
    case .reuseOutput(let name, _): try require(name == freshInStep, "S30: \(name) isn't fresh, and its output is used")
    case .cancelRun(let number, let reason):
      guard let run = runs[number] else { throw Broken(description: "cancels unknown run \(number)") }
      try require(run.told == nil, "asks run \(number) to stop twice")
      runs[number]?.told = reason
      runs[number]?.toldAt = now
      switch reason {
      case .failed, .deactivated, .shutdown: isStopping[run.phase] = true
      case .timeout:
        guard let deadline = run.deadline, deadline <= now else {
          throw Broken(description: "S15: run \(number) timed out early")
        }
        causes[run.name, default: []].insert(.timeout(after: deadline - run.started, message: run.timeoutWords))
        noteIfLast(run)
      case .operator:
        guard case .runsCancelled(let names, let user) = event, names.contains(run.name) else {
          throw Broken(description: "S34: run \(number) of \(run.name) is cancelled without an operator")
        }
        noteOperator(run, number, user)
      case .unregistered: break
      }
      try checkReason(reason, run, event)
    case .killRun(let number):
      guard let run = runs[number], let toldAt = run.toldAt else {
        throw Broken(description: "S13: kills run \(number), which wasn't asked to stop")
      }
      try require(!run.isKilled, "S13: kills run \(number) twice")
      try require(now >= toldAt + machine.configuration.cancelGrace, "S13: kills run \(number) within its grace period")
      runs[number]?.isKilled = true
    case .publish(let notice): try carryOut(notice, event)
    case .startStop(let start):
      try require(areStopsRequested, "S24: stops \(start.initializer) before stops were requested")
      try require(stopping == nil, "S24: stops \(start.initializer) while another one is being stopped")
      try require(start.initializer == completions.popLast(), "S24: stops \(start.initializer) in the wrong order")
      stopping = (start.run, now, false)
    case .cancelStop(let run):
      try checkHurry(run, hasBeenCancelled: false)
      stopping = (run, now, true)
    case .giveUpStop(let run):
      try checkHurry(run, hasBeenCancelled: true)
      stopping = nil
    case .finishStops:
      try require(completions.isEmpty && stopping == nil, "S24: reports the end of stops before all are stopped")
      try require(!isStopped, "S24: reports the end of stops twice")
      isStopped = true
    case .finish:
      try require(isEnding && runs.isEmpty, "S24: finishes while something runs")
      isFinished = true
    }
  }

  private func checkHurry(_ run: RunID, hasBeenCancelled: Bool) throws {
    guard let stopping, stopping.run == run, stopping.isCancelled == hasBeenCancelled else {
      throw Broken(description: "S24: cancels or abandons stop \(run), which isn't the current one")
    }
    let configuration = machine.configuration
    let patience = hasBeenCancelled ? configuration.cancelGrace : configuration.stopTimeout
    try require(now >= stopping.since + patience, "S24: cancels or abandons stop \(run) too early")
  }

  private func checkReason(_ reason: CancelReason, _ run: BookedRun, _ event: Event) throws {
    switch reason {
    case .deactivated: try require(!isActive && run.phase == .active, "S11: cancels \(run.name) without a deactivation")
    case .unregistered: try require(snapshotIsAway(run.name), "S21: cancels \(run.name), which wasn't removed")
    case .shutdown: try require(isEnding, "S24: cancels \(run.name) without a shutdown")
    case .timeout, .failed, .operator: break
    }
  }

  private func snapshotIsAway(_ name: String) -> Bool { !workers.values.contains { $0.names.contains(name) } }

  /// Checks that a condition is requested when the initializer's turn has come (S29).
  private mutating func carryOut(_ check: ConditionCheck) throws {
    let name = check.initializer
    try require(checks[check.number] == nil, "S29: the question \(check.number) is asked twice")
    let phase: Phase = passes[.launch] == nil ? .active : .launch
    try require(check.phase == phase, "S29: \(name) is asked for in the \(check.phase) phase")
    let isOpen = passes[phase] != nil && isStopping[phase] != true && isCancelled[phase] != true && !isEnding
    try require(isOpen, "S29: \(name) is asked for without a pass that runs")
    try require(admitted[phase]?.contains(name) == false, "S29: \(name) is asked for after its condition held")
    let hasSlot = !takesSlot(name) || slotsTaken < machine.configuration.concurrency
    try require(hasSlot, "S6: \(name) is asked for without a slot")
    try require(doneInPass[phase]?.contains(name) == false, "S7: \(name) is asked for after its turn")
    try checkDependencies(of: name, phase)
    checks[check.number] = (name, phase)
  }

  private mutating func carryOut(_ start: RunStart) throws {
    let name = start.initializer
    let declaration = machine.initializer(named: name)?.declaration
    let isConditional = declaration?.hasCondition == true || declaration?.freshness != nil
    try require(
      !isConditional || start.attempt > 1 || admitted[start.phase]?.contains(name) == true,
      "S29: \(name) starts before its condition is checked")
    leftOut.remove(name)
    completedWith[name] = nil
    try checkPlace(of: start)
    try checkDependencies(of: start)
    try checkProvider(of: start)
    try require(
      cancelledInPass[start.phase]?.contains(name) != true,
      "S34: \(name) starts again in the pass in which it was cancelled")
    let attempt = (failuresInPass[start.phase]?[name] ?? 0) + 1
    try require(start.attempt == attempt, "S16: \(name) starts as attempt \(start.attempt), not \(attempt)")
    let attempts = machine.initializer(named: name)?.declaration.retry.attempts ?? 1
    try require(
      attempt <= attempts || promised.remove(name) != nil, "S16: \(name) has \(attempts) attempts, not \(attempt)")
    lastRun = start.run
    hasStartedRuns = true
    if outdated[start.phase]?.remove(name) != nil { due[start.phase]?.remove(name) }
    renewed[start.phase]?.remove(name)
    stale.remove(name)
    for dependent in dependents(of: [name], in: start.phase) {
      let isDone =
        done[.active]?.contains(dependent) == true
        || start.phase == .launch && done[.launch]?.contains(dependent) == true
      if isDone || runs.values.contains(where: { $0.name == dependent }) { stale.insert(dependent) }
    }
    runs[start.run] = BookedRun(
      name: name, pass: start.pass, phase: start.phase, worker: start.worker, attempt: start.attempt, started: now,
      deadline: start.timeout.map { now + $0 }, group: groupOf(name), takesSlot: takesSlot(name))
  }

  private mutating func carryOut(_ notice: Notice, _ event: Event) throws {
    switch notice {
    case .state(let record, let changed): try carryOut(record, changed)
    case .initializer(let snapshot):
      let name = snapshot.declaration.name
      // Only a progress report is published even if it repeats the last report.
      var isReport = false
      if case .runProgressed = event { isReport = true }
      try require(isReport || snapshots[name] != snapshot, "the same notice of \(name) is published twice in a row")
      if let outcome = untold.removeValue(forKey: name) { try checkEnd(snapshot, outcome) }
      snapshots[name] = snapshot
      if let failure = snapshot.failure, isMissing(failure) {
        for phase in Phase.allCases { missing[phase]?.insert(failure) }
      }
      if replayed.contains(where: { $0.declaration.name == name }) {
        replayed = replayed.map { $0.declaration.name == name ? snapshot : $0 }
      } else {
        replayed.append(snapshot)
      }
    case .initializerRemoved(let snapshot):
      let name = snapshot.declaration.name
      try require(
        fixed[name] == nil || replacedInStep.contains(name),
        "S21: \(name) is removed, although the manifest declares it")
      try require(snapshots.removeValue(forKey: name) != nil, "\(name) is removed, but wasn't known")
      replayed.removeAll { $0.declaration.name == name }
    case .passOpened(let number):
      try require(passes.values.contains(number), "pass \(number) is opened and isn't in flight")
      let mayBegin = passes[.launch] == number || passes[.launch] == nil
      try require(mayBegin, "S4: active pass \(number) is opened before launch has completed")
    case .passAbandoned(let number):
      try require(
        machine.knowledge(of: number) == .ended(.cancelled), "S14: pass \(number) is abandoned, but hasn't ended")
      abandoned.insert(number)
    case .pass(let number, let phase, .started): try noteStart(number, phase, event)
    case .pass(let number, let phase, let outcome): try noteEnd(number, phase, outcome)
    case .runEnded(let record):
      guard let outcome = expectedEnds.removeValue(forKey: record.run) else {
        throw Broken(description: "run \(record.run) is recorded as ended, but hasn't ended")
      }
      let how = String(describing: record.outcome)
      try require(record.outcome == outcome, "S12: run \(record.run) ends \(how), not \(outcome)")
      if case .failed(.operator) = outcome {
        try require(record.nextAttempt == nil, "S34: run \(record.run), which was cancelled, is retried")
      }
      // The initializer will be retried, even if its dependents have completed since and no other initializer needs it any more.
      if record.nextAttempt != nil { promised.insert(record.initializer) }
      if record.nextAttempt != nil { failuresInPass[record.phase]?[record.initializer] = record.attempt }
      untold[record.initializer] = outcome
    }
  }

  private mutating func noteStart(_ number: PassID, _ phase: Phase, _ event: Event) throws {
    try require(passes[phase] == nil, "two \(phase) passes in flight")
    try require(number > lastPass[phase] ?? 0, "\(phase) pass \(number) starts after \(lastPass[phase] ?? 0)")
    lastPass[phase] = number
    passes[phase] = number
    startedInStep.insert(number)
    doneInPass[phase] = []
    renewed[phase] = []
    failuresInPass[phase] = [:]
    cancelledInPass[phase] = []
    isStopping[phase] = false
    isInDoubt[phase] = false
    mustFailWith[phase] = []
    missing[phase] = []
    admitted[phase] = []
    readWith[phase] = [:]
    checks = checks.filter { $1.phase != phase }
    isCancelled[phase] = false
    if phase == .launch { recovered = [] }
    // An abandoned pass runs nothing.
    if abandoned.contains(number) { return }
    if phase == .active, isEntry(event) { done[.active] = [] }
    if phase == .active { isEntryAsked = false }
    done[phase]?.subtract(due[phase, default: []])
    for name in due[phase, default: []] { completedWith[name] = nil }
    due[phase] = []
    outdated[phase] = []
  }

  /// Returns whether the active pass that starts executes everything (S4), or only initializers that haven't completed (S19).
  private func isEntry(_ event: Event) -> Bool {
    switch (event, endedInStep[.active]) {
    case (_, .complete): false
    case (.rerunRequested, nil): retriesActive
    case (_, .failed) where due[.active]?.isEmpty == false && !isEntryAsked: false
    case (.activated, _), (.launched, _), (_, .failed), (_, .cancelled): true
    case (_, .started), (_, nil): false
    }
  }

  private mutating func noteEnd(_ number: PassID, _ phase: Phase, _ outcome: PassStatus) throws {
    try require(passes[phase] == number, "\(phase) pass \(number) ends, but hasn't started")
    try require(
      !runs.values.contains { $0.pass == number }, "S13: pass \(number) ends while one of its runs is in flight")
    try checkOutcome(outcome, number, phase)
    let wasAbandoned = abandoned.remove(number) != nil
    try require(!wasAbandoned || outcome == .cancelled, "S14: the abandoned pass \(number) is \(outcome)")
    let couldStart = !startedInStep.contains(number) || outcome != .cancelled
    try require(
      wasAbandoned || couldStart, "S14: pass \(number) was cancelled before it could start, which wasn't published")
    passes[phase] = nil
    endedInStep[phase] = outcome
    self.outcome[phase] = outcome
    if phase == .launch, isRecovered { noteLaunch() }
  }

  /// Whether launch still has to decide something above an initializer that may be fresh (S30).
  func isUndecided(above name: String) -> Bool {
    let all = Dictionary(machine.initializers.map { ($0.declaration.name, $0.declaration) }) { first, _ in first }
    var open = all[name]?.dependencies ?? []
    var seen = Set(open)
    while let next = open.popLast() {
      guard let declaration = all[next], !isSkipped(next) else { continue }
      let isDone = done[.launch]?.contains(next) == true || doneInPass[.launch]?.contains(next) == true
      if declaration.freshness != nil, declaration.priority == .appLaunch, isSelected(next), !isDone { return true }
      for dependency in declaration.dependencies where seen.insert(dependency).inserted { open.append(dependency) }
    }
    return false
  }
}
