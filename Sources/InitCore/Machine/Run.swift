internal import InitWords

/// A run in flight: started, and not yet known to have stopped.
struct Run: Hashable, Sendable {
  /// Can transition to: `running` → `stopping`; `stopping` → `stopping` when an operator cancels a timed-out run (S34), or when the pass of a
  /// run that has failed by its timeout or by an operator is cancelled (S15).
  enum State: Hashable, Sendable {
    case running
    /// Asked to stop, for this reason.
    ///
    /// For `timeout` and `operator` it has failed, for every other reason it is cancelled, whatever it answers.
    case stopping(CancelReason)
  }

  let initializer: String
  /// The index of its item in the plan, unless a later plan doesn't contain it.
  var index: PlanIndex
  /// Where its initializer was in the registry when it started.
  let entry: InitializerIndex
  let pass: PassID
  let phase: Phase
  let attempt: Int
  let started: Instant
  let ready: Instant
  let waitedFor: [String]
  /// When its worker had registered it.
  let provided: Instant?
  /// The last end of a run before it started.
  let freed: RunEnd?
  /// How many attempts its initializer has in its pass.
  let attempts: Int
  /// The group in which it has a place (S33).
  let group: String?
  /// The worker whose loss ends it; nil if there is none, or it has answered.
  var worker: WorkerID?
  /// The process of that worker.
  let process: Int32?
  /// The deadline of the run.
  var deadline: Instant?
  var state: State = .running
  /// The user who has cancelled it (S34).
  var cancelledBy: String?
  /// How its last try failed, if it waits for something outside of the supervisor (S31).
  var lastTry: FailedTry?
  /// The last message of its progress; nil if it has none.
  var lastMessage: String?
  /// Whether the name was removed since the run started: the run's failure doesn't count for an initializer that is registered under that
  /// name again.
  var isOfRemovedName = false
}

extension Run {
  /// A try that has failed.
  struct FailedTry: Hashable, Sendable {
    let failure: String
    /// Its number, from 1.
    let number: Int
  }

  /// The cause of its failure once its time is up: how long it had, and how its last try failed (S15, S31), or its last progress.
  func timeout(at now: Instant) -> Cause {
    let failure = lastTry.map { "\($0.failure) (\($0.number) \($0.number == 1 ? "try" : "tries"))" }
    return .timeout(after: (deadline ?? now) - started, message: failure ?? lastMessage)
  }
}

extension RunRecord {
  /// Describes a run as it is at `now`.
  init(_ run: Run, _ id: RunID, at now: Instant) {
    self.init(
      run: id, initializer: run.initializer, attempt: run.attempt, pass: run.pass, phase: run.phase,
      ready: run.ready, started: run.started, duration: now - run.started, waitedFor: run.waitedFor,
      provided: run.provided, freed: run.freed, group: run.group, attempts: run.attempts)
  }
}
