internal import InitWords

/// One execution of a phase, from its start to its end.
struct Pass: Hashable, Sendable {
  /// Can transition to: `running` → `failing`, `cancelling` or its end as complete; `failing` → `cancelling` (S14) or its end.
  enum Stage: Hashable, Sendable {
    /// Runs are started, as soon as the phases allow it.
    case running
    /// The first error is known; the runs were asked to stop (S8).
    case failing(Failure)
    /// Cancelled; the runs were asked to stop (S11).
    case cancelling
  }

  /// The state of an item of the plan.
  enum Standing: Hashable, Sendable {
    /// The number of the dependencies and predecessors for which the initializer waits.
    case waiting(Int)
    /// Ready to start, with this attempt number.
    case ready(attempt: Int)
    /// The item's turn has come, and its condition is being checked (S29).
    case asking(Int)
    /// A run of the item is running, or must stop before the next may start (S13).
    case running(RunID)
    /// Between two attempts, after this many (S16).
    case delayed(attempts: Int)
    /// Complete since that instant.
    case complete(at: Instant)
    /// Failed; `failures` says why.
    case failed
    /// A dependency failed (S8).
    case blocked
    case cancelled

    /// Whether the item's turn is still to come.
    var isWaiting: Bool {
      switch self {
      case .waiting, .ready, .asking, .delayed: true
      case .running, .complete, .failed, .blocked, .cancelled: false
      }
    }

    /// Whether an attempt has failed and the next is still to come (S16).
    var isBetweenAttempts: Bool {
      switch self {
      case .delayed: true
      case .ready(let attempt): attempt > 1
      case .waiting, .asking, .running, .complete, .failed, .blocked, .cancelled: false
      }
    }

    /// Whether the item is done.
    var isTerminal: Bool {
      switch self {
      case .complete, .failed, .blocked, .cancelled: true
      case .waiting, .ready, .asking, .running, .delayed: false
      }
    }
  }

  let id: PassID
  let phase: Phase
  var stage: Stage = .running
  var plan = Plan()
  /// The standings of the plan's items, one for each.
  var standings: [Standing] = []
  /// Why the failed items failed.
  var failures: [PlanIndex: Failure] = [:]
  /// The plan was made before its phase could run, and must be made again then.
  var isProvisional: Bool
  /// Names have changed since the pass was planned.
  ///
  /// Whether the pass must be planned again; until then, it starts nothing and doesn't complete.
  var isStale = false
  /// When the first run could have started.
  var opened: Instant
  /// The turns of the items that may start once there is a slot.
  var ready = Turns()
  /// The turns of the items that may start and need no slot, because their runs only wait (S6).
  var readyToWait = Turns()
  /// The indexes of items whose group has no place, by group (S33).
  var held: [String: Turns] = [:]
  /// The initializers whose run somebody has requested before the pass began (S26), and whether by their own names.
  var forced: [String: Bool] = [:]
  /// Indexes of the items that could start if their worker were connected (S20).
  var unprovided: [PlanIndex] = []
  /// The names of initializers that wait only until a deadline for their process to register them (S32).
  var bound: Set<String> = []
  /// The number of the pass's runs that are running or stopping.
  var inFlight = 0
  /// How many of them take no slot.
  var waiting = 0
  /// The names between two attempts, which keep their slot (S16).
  var delayed: Set<String> = []
  /// The items whose conditions and inputs are being checked, by the number of the question (S29, S30).
  var asked: [Int: PlanIndex] = [:]
  /// The names whose conditions held in the pass.
  var admitted: Set<String> = []
  /// The fingerprints of the initializers that may be fresh; their times count from the start of the machine's clock (S30).
  var fingerprints: [String: Fingerprint] = [:]
  /// The number of items that aren't done.
  var unfinished = 0
  /// How many completed before the last planning, and aren't in the plan.
  var completedBefore = 0
  /// The initializers outside of the plan that completed in the pass, with their times, for example those that completed before the last
  /// planning.
  ///
  /// The standings have the others.
  var completed: [String: Instant] = [:]
  /// When the items ended, of plans with predecessors.
  var ended: [String: Instant] = [:]
  /// The failures after which the pass continues; it fails with them at its end, in the order in which they happened (S28).
  var recordedFailures: [Failure] = []
  /// Names that got their first provider since the planning: the pass uses the worker's declaration.
  var fresh: Set<String> = []
  /// Names that another process took over after they ran in this pass, or that were registered again after they failed in it: they run in
  /// the next pass (S7, S22).
  var again: Set<String> = []
  /// Names that run again in this pass once their runs in flight have ended, because their work was changed and the pass still needs them
  /// (S27).
  var renewed: Set<String> = []
  /// The dependents of all initializers, once a run has started that may make them stale (S26).
  var dependents: Dependents?

  init(_ id: PassID, phase: Phase, isProvisional: Bool, at now: Instant) {
    self.id = id
    self.phase = phase
    self.isProvisional = isProvisional
    self.opened = now
  }

  /// The initializer whose failure stops the pass, if that is known and nothing else has cancelled the pass.
  var culprit: String? { if case .failing(let failure) = stage { failure.last.initializer } else { nil } }

  /// The progress.
  var tally: Tally {
    let total = completedBefore + plan.items.count
    return Tally(done: total - unfinished, total: total)
  }

  /// Whether the initializer's turn is still to come.
  func isWaiting(for name: String, _ initializer: InitializerIndex?) -> Bool {
    guard let index = plan.index(of: name, initializer) else { return false }
    return standings[index].isWaiting
  }

  /// Returns whether the initializer has had its turn in the pass (S7).
  func isThrough(with name: String, _ initializer: InitializerIndex?) -> Bool {
    if completed[name] != nil { return true }
    guard let index = plan.index(of: name, initializer) else { return false }
    return standings[index].isTerminal
  }

  /// Returns whether the initializer belongs to the pass and isn't done.
  func isUnderWay(with name: String, _ initializer: InitializerIndex?) -> Bool {
    guard let index = plan.index(of: name, initializer) else { return false }
    return !standings[index].isTerminal
  }

  /// Whether an attempt has failed and the next is still to come (S16).
  func isBetweenAttempts(of name: String, _ initializer: InitializerIndex?) -> Bool {
    guard let index = plan.index(of: name, initializer) else { return false }
    return standings[index].isBetweenAttempts
  }

  /// Adopts a new plan, and keeps the results so far.
  ///
  /// `before` contains the index of each item in the old plan, if it had one; `nil` if there is no old plan. `runs` is the runs in flight
  /// by their initializers.
  mutating func adopt(_ plan: Plan, before: [PlanIndex?]?, _ runs: [String: RunID]) {
    let old = self
    self.plan = plan
    completedBefore = completed.count
    fresh = []
    if !recordedFailures.isEmpty {
      // An initializer that had failed in launch may have completed since.
      let mended = Set(old.plan.items.compactMap(\.failure)).subtracting(plan.items.compactMap(\.failure))
      recordedFailures.removeAll { mended.contains($0) }
    }
    ready = Turns()
    readyToWait = Turns()
    held = [:]
    asked = [:]
    unprovided = []
    unfinished = plan.items.count
    failures = [:]
    standings = []
    standings.reserveCapacity(plan.items.count)
    for (number, item) in plan.items.enumerated() {
      let index = PlanIndex(number)
      let oldIndex = before?[number]
      if let run = runs[item.name] {
        standings.append(.running(run))
      } else if let failure = item.failure ?? oldIndex.flatMap({ old.failures[$0] }) {
        failures[index] = failure
        unfinished -= 1
        standings.append(.failed)
      } else {
        let standing = old.standing(of: item, at: oldIndex, waits: plan.waits(of: index))
        if case .ready(let attempt) = standing { makeReady(index, attempt: attempt) }
        standings.append(standing)
      }
    }
    for index in failures.keys { release(followersOf: index) }
  }

  /// Returns the state of an item without a run and a failure in a new plan, derived from its state in this plan.
  ///
  /// `index` is the item's index in this plan, if it has one. `waits` says for how many others it waits in the new plan.
  private func standing(of item: Plan.Item, at index: PlanIndex?, waits: Int) -> Standing {
    let isDeclared = item.declaration != nil
    switch index.map({ standings[$0] }) {
    // Between two attempts, the dependencies have already completed.
    case .delayed(let attempts) where isDeclared: return .delayed(attempts: attempts)
    case .ready(let attempt) where isDeclared && attempt > 1: return .ready(attempt: attempt)
    // A question that is still open is asked again: the plan may have another declaration.
    case nil, .waiting, .ready, .asking, .running, .delayed, .complete, .failed, .blocked, .cancelled:
      return waits == 0 ? .ready(attempt: 1) : .waiting(waits)
    }
  }

  /// Marks an item as ready to start: in the order of the plan (S6).
  ///
  /// A retry keeps its index but comes first (S16).
  mutating func makeReady(_ index: PlanIndex, attempt: Int) { insert(turn(of: index, attempt: attempt), of: index) }

  private mutating func insert(_ turn: Int, of index: PlanIndex) {
    if plan.items[index].takesSlot { ready.insert(turn) } else { readyToWait.insert(turn) }
  }

  private func turn(of index: PlanIndex, attempt: Int) -> Int {
    attempt > 1 ? index.rawValue : plan.items.count + index.rawValue
  }

  /// Makes an item wait until its group has a place.
  mutating func hold(_ index: PlanIndex, in group: String) {
    guard case .ready(let attempt) = standings[index] else { return }
    held[group, default: Turns()].insert(turn(of: index, attempt: attempt))
  }

  /// Gives the first held items of a group their turn again.
  mutating func release(_ count: Int, of group: String) {
    for _ in 0..<count {
      guard let turn = held[group]?.popFirst() else { break }
      insert(turn, of: index(ofTurn: turn))
    }
    if held[group]?.isEmpty == true { held[group] = nil }
  }

  private func index(ofTurn turn: Int) -> PlanIndex {
    let count = plan.items.count
    return PlanIndex(turn < count ? turn : turn - count)
  }

  /// Removes and returns the item whose turn it is; `nil` if none may start.
  mutating func nextReady(hasSlot: Bool) -> PlanIndex? {
    let waitsFirst = (readyToWait.first ?? .max) < (hasSlot ? ready.first ?? .max : .max)
    let turn = waitsFirst ? readyToWait.popFirst() : hasSlot ? ready.popFirst() : nil
    guard let turn else { return nil }
    return index(ofTurn: turn)
  }

  /// Returns when the initializer completed in the pass.
  func completion(of name: String, _ initializer: InitializerIndex?) -> Instant? {
    let index = plan.index(of: name, initializer)
    if let index, case .complete(let instant) = standings[index] { return instant }
    return completed[name]
  }

  /// Records the completions before a new planning, after which the standings no longer contain them.
  mutating func recordCompletions() {
    for (item, standing) in zip(plan.items, standings) {
      if case .complete(let instant) = standing { completed[item.name] = instant }
    }
  }

  /// Drops the completion of an initializer that is removed.
  mutating func forgetCompletion(of name: String, _ initializer: InitializerIndex?) {
    completed[name] = nil
    guard let index = plan.index(of: name, initializer), case .complete = standings[index] else { return }
    standings[index] = .cancelled
  }

  /// Starts a run of an item.
  ///
  /// - Returns: the pass, and since when the item could start; `nil` if not all of its dependencies ran in this plan.
  mutating func start(_ run: RunID, of index: PlanIndex, _ declaration: Declaration) -> (PassID, ready: Instant?) {
    standings[index] = .running(run)
    inFlight += 1
    if !plan.items[index].takesSlot { waiting += 1 }
    let dependencies = plan.dependencies[index]
    let areDeclared =
      dependencies.count == declaration.dependencies.count && plan.inherited[index.rawValue] == nil
      && declaration.after.isEmpty
    let last = areDeclared ? lastCompletion(of: dependencies) : nil
    return (id, last.map { max(opened, $0) })
  }

  /// Returns the time at which the last of these items completed: the start of the clock if the list is empty, and `nil` if an item hasn't
  /// completed.
  private func lastCompletion(of indexes: ArraySlice<PlanIndex>) -> Instant? {
    var last = Instant.zero
    for index in indexes {
      guard case .complete(let instant) = standings[index] else { return nil }
      last = max(last, instant)
    }
    return last
  }

  /// The outcome of the pass, if none of its runs is in flight; `nil` if it continues.
  var outcome: PassStatus? {
    guard inFlight == 0 else { return nil }
    switch stage {
    case .running:
      guard unfinished == 0, !isStale else { return nil }
      return recordedFailure.map { .failed($0) } ?? .complete
    case .failing(let failure): return .failed(failure)
    case .cancelling: return .cancelled
    }
  }

  /// All recorded failures as one failure; `nil` if nothing was recorded.
  var recordedFailure: Failure? {
    recordedFailures.first.map {
      recordedFailures.count == 1 ? $0 : .several($0, others: Array(recordedFailures.dropFirst()))
    }
  }

  /// Records a failure after which the pass continues; each once, because a new plan blocks its dependents again.
  mutating func record(_ failure: Failure) {
    if !recordedFailures.contains(failure) { recordedFailures.append(failure) }
  }

  /// Whether the pass starts runs.
  var isStarting: Bool {
    switch stage {
    case .running: !isStale
    case .failing, .cancelling: false
    }
  }

  /// Completes an item: the items that waited only for it may start (S6).
  mutating func complete(_ index: PlanIndex, at now: Instant) {
    end(index, as: .complete(at: now), at: now)
    for dependent in plan.dependents[index] { endWait(of: dependent) }
  }

  /// Ends an item: it is done in this pass, and its followers wait for it no longer (S6).
  mutating func end(_ index: PlanIndex, as standing: Standing, at now: Instant) {
    standings[index] = standing
    unfinished -= 1
    guard !plan.followers.isEmpty else { return }
    ended[plan.items[index].name] = now
    release(followersOf: index)
  }

  private mutating func release(followersOf index: PlanIndex) {
    for follower in plan.followers[index.rawValue] ?? [] { endWait(of: follower) }
  }

  /// Ends one of the waits of an item, which may start after the last one.
  private mutating func endWait(of index: PlanIndex) {
    guard case .waiting(let count) = standings[index] else { return }
    standings[index] = count > 1 ? .waiting(count - 1) : .ready(attempt: 1)
    if count <= 1 { makeReady(index, attempt: 1) }
  }

  /// Opens an item again, which waits for what isn't done.
  mutating func reopen(_ index: PlanIndex) {
    let open =
      plan.dependencies[index].count { !standings[$0].isTerminal }
      + (plan.predecessors[index.rawValue] ?? []).count { !standings[$0].isTerminal }
    standings[index] = open == 0 ? .ready(attempt: 1) : .waiting(open)
    if open == 0 { makeReady(index, attempt: 1) }
  }

  /// Returns the item and the number of its attempt if it is the item's turn; `nil` if it may not start.
  func startable(_ index: PlanIndex) -> (attempt: Int, Plan.Item)? {
    guard case .ready(let attempt) = standings[index] else { return nil }
    return (attempt, plan.items[index])
  }

  /// Returns whether this run is the item's current run.
  func isRunning(_ run: RunID, at index: PlanIndex) -> Bool {
    guard index.rawValue < standings.count, case .running(let id) = standings[index] else { return false }
    return id == run
  }

  /// Whether no initializer can start until a worker registers (S20).
  var isStalled: Bool {
    inFlight == 0 && delayed.isEmpty && asked.isEmpty && ready.isEmpty && readyToWait.isEmpty && !unprovided.isEmpty
  }
}

extension Array where Element == Pass.Standing {
  /// Returns the state of the item at an index of the plan.
  subscript(index: PlanIndex) -> Pass.Standing {
    get { self[index.rawValue] }
    set { self[index.rawValue] = newValue }
  }
}
