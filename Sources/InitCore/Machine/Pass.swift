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
    /// Waits for this many of its dependencies.
    case waiting(Int)
    /// It may start, with this attempt number.
    case ready(attempt: Int)
    /// A run of it is running, or must stop before the next may start (S13).
    case running(Int)
    /// Between two attempts, after this many (S16).
    case delayed(attempts: Int)
    /// Complete since that instant.
    case complete(at: Instant)
    /// It failed; `failures` says why.
    case failed
    /// A dependency failed (S8).
    case blocked
    case cancelled

    /// Whether its turn is still to come.
    var isWaiting: Bool {
      switch self {
      case .waiting, .ready, .delayed: true
      case .running, .complete, .failed, .blocked, .cancelled: false
      }
    }

    /// Whether it is done.
    var isTerminal: Bool {
      switch self {
      case .complete, .failed, .blocked, .cancelled: true
      case .waiting, .ready, .running, .delayed: false
      }
    }
  }

  let number: Int
  let phase: Phase
  var stage: Stage = .running
  var plan = Plan()
  /// One for each item of the plan.
  var standings: [Standing] = []
  /// Why the failed items failed.
  var failures: [Int: Failure] = [:]
  /// The plan was made before its phase could run, and must be made again then.
  var isProvisional: Bool
  /// Names have changed since it was planned. Until it is planned again, it starts nothing and doesn't complete.
  var isStale = false
  /// When the first run could have started.
  var opened: Instant
  /// The turns of the items that may start.
  var ready = PlaceSet(0)
  /// Indexes of the items that could start if their worker were connected (S20).
  var unprovided: [Int] = []
  /// How many of its runs are running or stopping.
  var inFlight = 0
  /// The names between two attempts, which keep their place (S16).
  var delayed: Set<String> = []
  /// How many items aren't done.
  var unfinished = 0
  /// How many completed before the last planning, and aren't in the plan.
  var completedBefore = 0
  /// The initializers that completed in it, and when: those that aren't in the plan, e.g. because they completed before the last planning.
  /// The standings have the others.
  var completed: [String: Instant] = [:]
  /// Names that got their first provider since the planning: the pass uses the worker's declaration.
  var fresh: Set<String> = []
  /// Names that another process took over after they ran in this pass, or that were registered again after they failed in it: they run in
  /// the next pass (S7, S22).
  var again: Set<String> = []

  init(number: Int, phase: Phase, isProvisional: Bool, at now: Instant) {
    self.number = number
    self.phase = phase
    self.isProvisional = isProvisional
    self.opened = now
  }

  /// The initializer whose failure stops it, if that is known and nothing else has cancelled it.
  var culprit: String? { if case .failing(let failure) = stage { failure.initializer } else { nil } }

  /// Its progress.
  var tally: Tally {
    let total = completedBefore + plan.items.count
    return Tally(done: total - unfinished, total: total)
  }

  /// Whether the initializer's turn is still to come.
  func isWaiting(for name: String, number: Int?) -> Bool {
    guard let place = plan.place(of: name, number: number) else { return false }
    return standings[place].isWaiting
  }

  /// Whether the initializer has had its turn in it (S7).
  func isThrough(with name: String, number: Int?) -> Bool {
    if completed[name] != nil { return true }
    guard let place = plan.place(of: name, number: number) else { return false }
    return standings[place].isTerminal
  }

  /// Whether the initializer belongs to it and isn't done.
  func isUnderWay(with name: String, number: Int?) -> Bool {
    guard let place = plan.place(of: name, number: number) else { return false }
    return !standings[place].isTerminal
  }

  /// Whether an attempt has failed and the next is still to come (S16).
  func isBetweenAttempts(of name: String, number: Int?) -> Bool {
    guard let place = plan.place(of: name, number: number) else { return false }
    switch standings[place] {
    case .delayed: return true
    case .ready(let attempt): return attempt > 1
    case .waiting, .running, .complete, .failed, .blocked, .cancelled: return false
    }
  }

  /// Takes a new plan, and keeps the results so far.
  ///
  /// - Parameters:
  ///   - before: the place of each item in the old plan, if it had one; `nil` if there is no old plan.
  ///   - runs: the runs in flight by their initializers.
  mutating func take(_ plan: Plan, before: [Int?]?, _ runs: [String: Int]) {
    let old = self
    self.plan = plan
    completedBefore = completed.count
    fresh = []
    ready = PlaceSet(2 * plan.items.count)
    unprovided = []
    unfinished = plan.items.count
    failures = [:]
    standings = []
    standings.reserveCapacity(plan.items.count)
    for (place, item) in plan.items.enumerated() {
      let oldPlace = before?[place]
      if let run = runs[item.name] {
        standings.append(.running(run))
      } else if let failure = item.failure ?? oldPlace.flatMap({ old.failures[$0] }) {
        failures[place] = failure
        unfinished -= 1
        standings.append(.failed)
      } else {
        let standing = old.standing(of: item, at: oldPlace, dependencies: plan.dependencies[place].count)
        if case .ready(let attempt) = standing { makeReady(place, attempt: attempt) }
        standings.append(standing)
      }
    }
  }

  /// The state of an item without a run and a failure in a new plan, derived from its state in this plan.
  ///
  /// - Parameters:
  ///   - place: its place in this plan, if it has one.
  ///   - dependencies: how many dependencies it has in the new plan.
  private func standing(of item: Plan.Item, at place: Int?, dependencies: Int) -> Standing {
    let isDeclared = item.declaration != nil
    switch place.map({ standings[$0] }) {
    // Between two attempts its dependencies have already completed.
    case .delayed(let attempts) where isDeclared: return .delayed(attempts: attempts)
    case .ready(let attempt) where isDeclared && attempt > 1: return .ready(attempt: attempt)
    case nil, .waiting, .ready, .running, .delayed, .complete, .failed, .blocked, .cancelled:
      return dependencies == 0 ? .ready(attempt: 1) : .waiting(dependencies)
    }
  }

  /// Marks an item as ready to start: in the order of the plan (S6), but retries, which keep their place, come first (S16).
  mutating func makeReady(_ place: Int, attempt: Int) {
    ready.insert(attempt > 1 ? place : plan.items.count + place)
  }

  /// Removes and returns the item whose turn it is; `nil` if none may start.
  mutating func nextReady() -> Int? {
    let count = plan.items.count
    return ready.popFirst().map { $0 < count ? $0 : $0 - count }
  }

  /// When the initializer completed in it.
  func completion(of name: String, number: Int?) -> Instant? {
    let place = plan.place(of: name, number: number)
    if let place, case .complete(let instant) = standings[place] { return instant }
    return completed[name]
  }

  /// Before a new planning: the standings no longer say what has completed.
  mutating func recordCompletions() {
    for (item, standing) in zip(plan.items, standings) {
      if case .complete(let instant) = standing { completed[item.name] = instant }
    }
  }

  /// A run of an item starts.
  ///
  /// - Returns: the number of the pass, and since when the item could start; `nil` if not all of its dependencies ran in this plan.
  mutating func start(_ run: Int, of place: Int, _ declaration: Declaration) -> (number: Int, ready: Instant?) {
    standings[place] = .running(run)
    inFlight += 1
    let dependencies = plan.dependencies[place]
    let last = dependencies.count == declaration.dependencies.count ? lastCompletion(of: dependencies) : nil
    return (number, last.map { max(opened, $0) })
  }

  /// When the last of these items completed; the start of the clock if there are none, and `nil` if one of them hasn't completed.
  private func lastCompletion(of places: ArraySlice<Int>) -> Instant? {
    var last = Instant.zero
    for place in places {
      guard case .complete(let instant) = standings[place] else { return nil }
      last = max(last, instant)
    }
    return last
  }

  /// How it ends, if nothing of it is in flight; `nil` if it goes on.
  var outcome: PassStatus? {
    guard inFlight == 0 else { return nil }
    switch stage {
    case .running: return unfinished == 0 && !isStale ? .complete : nil
    case .failing(let failure): return .failed(failure)
    case .cancelling: return .cancelled
    }
  }

  /// Whether it starts runs.
  var isStarting: Bool {
    switch stage {
    case .running: !isStale
    case .failing, .cancelling: false
    }
  }

  /// An item has completed: those that waited only for it may start (S6).
  mutating func complete(_ place: Int, at now: Instant) {
    standings[place] = .complete(at: now)
    unfinished -= 1
    for dependent in plan.dependents[place] {
      guard case .waiting(let count) = standings[dependent] else { continue }
      standings[dependent] = count > 1 ? .waiting(count - 1) : .ready(attempt: 1)
      if count <= 1 { makeReady(dependent, attempt: 1) }
    }
  }

  /// An item whose turn it is, and the number of its attempt; `nil` if it may not start.
  func startable(_ place: Int) -> (attempt: Int, Plan.Item)? {
    guard case .ready(let attempt) = standings[place] else { return nil }
    return (attempt, plan.items[place])
  }

  /// Whether that run is running at that place of the plan.
  func isRunning(_ run: Int, at place: Int) -> Bool {
    guard place < standings.count, case .running(let number) = standings[place] else { return false }
    return number == run
  }

  /// Nothing can start until a worker registers (S20).
  var isStalled: Bool { occupied == 0 && ready.isEmpty && !unprovided.isEmpty }

  /// How many places are taken: by runs until they have stopped (S13), and by delays (S16).
  var occupied: Int { inFlight + delayed.count }
}
