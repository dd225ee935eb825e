/// One execution of a phase, from its start to its end.
struct Pass: Hashable, Sendable {
  /// Can transition to: `running` → `failing`, `cancelling` or its end as complete; `failing` → `cancelling` (S14) or its end.
  enum Stage: Hashable, Sendable {
    /// Runs are started, as soon as the phases allow it.
    case running
    /// The first error is known; what runs was told to stop (S8).
    case failing(Failure)
    /// Cancelled; what runs was told to stop (S11).
    case cancelling
  }

  /// Where an item of the plan stands.
  enum Standing: Hashable, Sendable {
    /// For so many of its dependencies.
    case waiting(Int)
    /// It may start as its attempt number so much.
    case ready(attempt: Int)
    /// A run of it is running, or has to stop before the next may start (S13).
    case running(Int)
    /// Between two attempts, so many of which were made (S16).
    case delayed(attempts: Int)
    case complete
    case failed(Failure)
    /// What it depends on failed (S8).
    case blocked
    case cancelled

    /// Whether the pass has yet to come to it.
    var isWaiting: Bool {
      switch self {
      case .waiting, .ready, .delayed: true
      case .running, .complete, .failed, .blocked, .cancelled: false
      }
    }

    /// Whether the pass is through with it.
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
  /// The plan was made before its phase could run, and has to be made again then.
  var isProvisional: Bool
  /// Names came or went since it was planned. It starts nothing and doesn't complete before it has been planned again.
  var isStale = false
  /// When the first run could have started.
  var opened: Instant
  /// Places of the items that may start, each with its turn among them.
  var ready = IndexedHeap<Int, Int>()
  /// Places of the items that may start but for their worker, which isn't connected (S20).
  var unprovided: [Int] = []
  /// How many of its runs are running or stopping.
  var inFlight = 0
  /// The names that keep their place between two attempts (S16).
  var delayed: Set<String> = []
  /// How many items it isn't through with.
  var unfinished = 0
  /// How many completed before it was planned last, and aren't in its plan.
  var completedBefore = 0
  /// What completed in it, and when.
  var finished: [String: Instant] = [:]
  /// What was provided for the first time since it planned: it goes by what the worker says of it.
  var fresh: Set<String> = []
  /// What another process took over after it had run here, or what came back after it had failed here: for the pass after this (S7, S22).
  var again: Set<String> = []

  init(number: Int, phase: Phase, isProvisional: Bool, at now: Instant) {
    self.number = number
    self.phase = phase
    self.isProvisional = isProvisional
    self.opened = now
  }

  /// How far it is.
  var tally: Tally {
    let total = completedBefore + plan.items.count
    return Tally(done: total - unfinished, total: total)
  }

  /// Whether it has yet to come to the initializer.
  func isWaiting(for name: String) -> Bool {
    guard let place = plan.places[name] else { return false }
    return standings[place].isWaiting
  }

  /// Whether the initializer has had its turn in it (S7).
  func isThrough(with name: String) -> Bool {
    if finished[name] != nil { return true }
    guard let place = plan.places[name] else { return false }
    return standings[place].isTerminal
  }

  /// Whether it has to do with the initializer and isn't through with it.
  func isUnderWay(with name: String) -> Bool {
    guard let place = plan.places[name] else { return false }
    return !standings[place].isTerminal
  }

  /// Whether an attempt of it has failed and the next is to come (S16).
  func isBetweenAttempts(of name: String) -> Bool {
    guard let place = plan.places[name] else { return false }
    switch standings[place] {
    case .delayed: return true
    case .ready(let attempt): return attempt > 1
    case .waiting, .running, .complete, .failed, .blocked, .cancelled: return false
    }
  }

  /// Where an item of a new plan stands that no run is about, after where it stood in this one.
  func standing(of item: Plan.Item) -> Standing {
    let isDeclared = item.declaration != nil
    switch plan.places[item.name].map({ standings[$0] }) {
    case .failed(let failure): return .failed(failure)
    // Between two attempts its turn has come, and its dependencies have been waited for.
    case .delayed(let attempts) where isDeclared: return .delayed(attempts: attempts)
    case .ready(let attempt) where isDeclared && attempt > 1: return .ready(attempt: attempt)
    case nil, .waiting, .ready, .running, .delayed, .complete, .blocked, .cancelled:
      return item.dependencies.isEmpty ? .ready(attempt: 1) : .waiting(item.dependencies.count)
    }
  }

  /// An item may start: in the order of the plan (S6), but a further attempt, whose place was kept, before any first (S16).
  mutating func makeReady(_ place: Int, attempt: Int) {
    ready[place] = attempt > 1 ? place - plan.items.count : place
  }

  /// How many places are taken: by runs until they have stopped (S13), and by delays (S16).
  var occupied: Int { inFlight + delayed.count }
}

/// A phase: its state, and the passes that make it.
struct PhaseRecord: Hashable, Sendable {
  var state: PhaseState = .pending
  /// The newest pass that was asked for: the one `state` speaks of.
  var number: Int?
  /// The pass in flight. `state` is pending while there is one.
  var pass: Pass?
  /// Asked for while `pass` was stopping; it starts when that has ended (S14).
  var next: Int?
  /// Asked for while `pass` was stopping and cancelled before they could start; they start and end when that has ended.
  var abandoned: [Int] = []
  /// How far the pass that ended last came.
  var lastTally = Tally()

  init() {}

  /// How far the newest pass is, or came.
  var tally: Tally { pass?.tally ?? lastTally }
}

/// Of how many initializers a pass is made, and with how many it is through.
struct Tally: Hashable, Sendable {
  var done = 0
  var total = 0
}
