internal import InitWords

/// A run in flight: started, and not yet known to have stopped.
struct Run: Hashable, Sendable {
  /// Can transition to: `running` → `stopping`.
  ///
  /// It can go from `stopping` to `stopping` when an operator cancels a timed-out run (S34), and when the pass of a run that has failed by
  /// its timeout or by an operator is cancelled (S15).
  enum State: Hashable, Sendable {
    case running
    /// Asked to stop, for this reason.
    ///
    /// With `timeout` and `operator` the run has failed, with every other reason it is cancelled, whatever the provider answers.
    case stopping(CancelReason)
  }

  let initializer: String
  /// The index of the run's item in the plan, unless a later plan doesn't contain it.
  var index: PlanIndex
  /// The index of its initializer in the registry when the run started.
  let entry: InitializerIndex
  let pass: PassID
  let phase: Phase
  let attempt: Int
  let started: Instant
  let ready: Instant
  let waitedFor: [String]
  /// When the worker had registered the initializer.
  let provided: Instant?
  /// The last end of a run before this run started.
  let freed: RunEnd?
  /// The number of attempts of its initializer in its pass.
  let attempts: Int
  /// The group in which the run has a place (S33).
  let group: String?
  /// Whether the run takes a slot of the concurrency (S6).
  let takesSlot: Bool
  /// The worker whose loss ends the run; nil if no worker provides it, or the worker has answered.
  var worker: WorkerID?
  /// The process of that worker.
  let process: Int32?
  /// The deadline of the run.
  var deadline: Instant?
  var state: State = .running
  /// The user who has cancelled the run (S34).
  var cancelledBy: String?
  /// The failure of its last try, if the run waits for something outside of the supervisor (S31).
  var lastTry: FailedTry?
  /// The last progress message of the run; nil if it has none.
  var lastMessage: String?
  /// Whether the name was removed since the run started: the run's failure doesn't count for an initializer that is registered under that
  /// name again.
  var isOfRemovedName = false
}

extension Run {
  /// A try that has failed.
  struct FailedTry: Hashable, Sendable {
    let failure: String
    /// The number of the try, from 1.
    let number: Int
  }

  /// Returns the cause of the failure once the time is up: the timeout, and the failure of the last try (S15, S31) or the last progress.
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
      provided: run.provided, freed: run.freed, group: run.group, takesSlot: run.takesSlot,
      attempts: run.attempts)
  }
}
