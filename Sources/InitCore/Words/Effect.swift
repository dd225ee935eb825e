public import InitWords

/// An action that the machine requests from its driver.
///
/// Runs are identified by number; no effect holds a closure or a handle.
public enum Effect: Hashable, Sendable {
  /// Have the initializer's provider run it, and answer with `runFinished`.
  case startRun(RunStart)
  /// Check whether an initializer's condition holds, read what its work depends on, and answer with `conditionChecked` (S29, S30).
  case checkCondition(ConditionCheck)
  /// An initializer is fresh: its dependents in this phase get its last output (S30).
  case reuseOutput(String, Phase)
  /// Ask the run to stop.
  ///
  /// The run occupies its place until `runFinished` (S13).
  case cancelRun(RunID, CancelReason)
  /// The run was asked to stop, but hasn't stopped within `cancelGrace`: kill it (S13).
  case killRun(RunID)
  /// Notify all observers.
  case publish(Notice)
  /// The shutdown has finished: nothing runs any more (S24).
  case finish
  /// Have the initializer's provider release the resources of a completed run, and answer with `stopEnded` (S24).
  ///
  /// The machine starts one stop at a time.
  case startStop(RunStart)
  /// The stop takes longer than `stopTimeout`: cancel it.
  case cancelStop(RunID)
  /// The stop hasn't ended within `cancelGrace`: kill it.
  ///
  /// The next stop starts.
  case giveUpStop(RunID)
  /// All initializers are stopped.
  case finishStops
}

/// A run to start.
public struct RunStart: Hashable, Sendable {
  /// The number of the run: unique, and larger than the numbers of all previous runs.
  public let run: RunID
  /// The initializer to run.
  public let initializer: String
  /// The pass of the run.
  public let pass: PassID
  /// The phase of that pass.
  public let phase: Phase
  /// The number of the attempt, starting with 1 (S16).
  public let attempt: Int
  /// The maximum duration of the run (S15).
  public let timeout: Duration?
  /// The worker that provides the initializer; `nil` for a command or a Swift object.
  public let worker: WorkerID?
  /// The initializer's index in the machine; see ``Machine/indexed(_:of:)``.
  public let index: InitializerIndex?
  /// The request because of which an initializer that had its turn before runs again (S26); `nil` without one.
  public let request: Request?

  /// What somebody has requested to run again.
  public enum Request: Hashable, Sendable {
    /// The initializer itself.
    case ofItself
    /// Something that it depends on.
    case ofDependency
  }

  /// Creates a run to start.
  public init(
    run: RunID, initializer: String, pass: PassID, phase: Phase, attempt: Int, timeout: Duration?, worker: WorkerID?,
    index: InitializerIndex? = nil, request: Request? = nil
  ) {
    self.run = run
    self.initializer = initializer
    self.pass = pass
    self.phase = phase
    self.attempt = attempt
    self.timeout = timeout
    self.worker = worker
    self.index = index
    self.request = request
  }
}

/// A change, for observers.
///
/// The machine commits it before observers are notified.
///
/// The large values are on the heap, because every effect takes as much room as the largest one.
public enum Notice: Hashable, Sendable {
  /// The states at one time, and the changed aspects (S1).
  indirect case state(StateRecord, changed: [StateRecord.Aspect])
  /// The visible state of an initializer changed.
  case initializer(InitializerSnapshot)
  /// An initializer was removed (S21): the name is no longer declared.
  ///
  /// The snapshot is the last one of the initializer.
  case initializerRemoved(InitializerSnapshot)
  /// A pass started, or ended.
  ///
  /// Each does both exactly once.
  case pass(PassID, phase: Phase, PassStatus)
  /// A pass can begin its runs.
  ///
  /// A launch pass can from its start; an active pass once launch has completed.
  case passOpened(PassID)
  /// A pass was cancelled before it could start (S14).
  ///
  /// The notices of its start and its end follow when the previous pass has ended.
  case passAbandoned(PassID)
  /// A run has ended.
  ///
  /// This notice is for the history.
  indirect case runEnded(RunRecord)
}

/// The status of a pass.
public enum PassStatus: Hashable, Sendable {
  /// Started.
  case started
  /// All initializers of the pass completed, except optional ones that failed.
  case complete
  /// Stopped at an error (S8).
  case failed(Failure)
  /// The pass was cancelled, and its runs have stopped (S11).
  case cancelled
}

/// The visible state of an initializer at one moment.
///
/// A copy is a reference to the same attributes, because several observers get each snapshot.
public struct InitializerSnapshot: Hashable, Sendable {
  /// The attributes, while a snapshot is made.
  struct Attributes: Hashable, Sendable {
    var declaration: Declaration
    var provider: ProviderKind
    var isAvailable: Bool
    var status: InitializerStatus
    var blockedBy: String?
    var isStale = false
    var isChanged = false
    var run: RunSnapshot?
    var nextAttempt: Instant?
    var failure: Failure?
    var skipReason: SkipReason?
  }

  private var box: Box<Attributes>

  init(_ attributes: Attributes) { box = Box(attributes) }

  /// Creates a snapshot.
  package init(
    declaration: Declaration, provider: ProviderKind, isAvailable: Bool, status: InitializerStatus,
    blockedBy: String? = nil, run: RunSnapshot? = nil, failure: Failure? = nil
  ) {
    self.init(
      Attributes(
        declaration: declaration, provider: provider, isAvailable: isAvailable, status: status, blockedBy: blockedBy,
        run: run, failure: failure))
  }

  /// The last declaration of the initializer.
  public var declaration: Declaration {
    get { box.value.declaration }
    set {
      var changed = box.value
      changed.declaration = newValue
      box = Box(changed)
    }
  }
  /// The provider.
  public var provider: ProviderKind { box.value.provider }
  /// Whether the provider can run the initializer: for a worker's initializer, whether the worker is connected; otherwise always true.
  public var isAvailable: Bool { box.value.isAvailable }
  /// The status.
  public var status: InitializerStatus { box.value.status }
  /// The initializer whose failure prevented this one, if it is `notRun`, or stopped it, if it is `stopping` or `cancelled`.
  public var blockedBy: String? { box.value.blockedBy }
  /// Whether the initializer is complete, but a dependency has run since then (S26).
  public var isStale: Bool { box.value.isStale }
  /// Whether the initializer failed, and a reload has changed its work since then (S27).
  public var isChanged: Bool { box.value.isChanged }
  /// The last run, or the run in flight.
  public var run: RunSnapshot? { box.value.run }
  /// When the next attempt starts, if the initializer waits for that (S16).
  public var nextAttempt: Instant? { box.value.nextAttempt }
  /// Why the initializer failed, or why its pass failed before its turn.
  public var failure: Failure? { box.value.failure }
  /// Why the initializer was skipped, if it was.
  public var skipReason: SkipReason? { box.value.skipReason }

  /// Returns whether another snapshot looks the same to clients: they don't see policies such as the timeout.
  func looksLike(_ other: InitializerSnapshot?) -> Bool {
    guard let other, self != other else { return other != nil }
    // Usually something else differs.
    return declaration != other.declaration && visible == other.visible
  }

  /// The same without the policies that clients don't see.
  private var visible: Attributes {
    var copy = box.value
    copy.declaration.timeout = nil
    copy.declaration.retry = RetryPolicy(attempts: declaration.retry.attempts)
    copy.declaration.hasCondition = false
    copy.declaration.rerunsDependents = false
    copy.declaration.isPerProcess = false
    copy.declaration.hasStop = false
    return copy
  }
}

/// The visible state of a run.
public struct RunSnapshot: Hashable, Sendable {
  /// The number.
  public var id: RunID
  /// The number of the attempt.
  public var attempt: Int
  /// The pass.
  public var pass: PassID
  /// The phase of that pass.
  public var phase: Phase
  /// The start of the run.
  public let started: Instant
  /// When the first attempt of its initializer in this pass started.
  public var firstStarted: Instant
  /// The duration of the run, once it is over.
  public var duration: Duration?
  /// The last progress report (S17).
  public var progress: RunProgress?

  /// Creates a snapshot of a run.
  public init(
    id: RunID, attempt: Int, pass: PassID, phase: Phase, started: Instant, firstStarted: Instant,
    duration: Duration? = nil, progress: RunProgress? = nil
  ) {
    self.id = id
    self.attempt = attempt
    self.pass = pass
    self.phase = phase
    self.started = started
    self.firstStarted = firstStarted
    self.duration = duration
    self.progress = progress
  }
}

/// The progress that a run reports (S17).
public struct RunProgress: Hashable, Sendable {
  /// 0…1; a later fraction is never smaller.
  public var fraction: Double?
  /// A message for people.
  public var message: String?
}

/// The progress of initialization.
public struct Progress: Hashable, Sendable {
  /// A running initializer.
  public struct Running: Hashable, Sendable {
    /// The initializer.
    public let initializer: String
    /// The last progress report.
    public let progress: RunProgress?
  }

  /// The number of finished initializers in the newest passes.
  public var done = 0
  /// The number of all initializers in the newest passes.
  public var total = 0
  /// The running initializers, in the order in which they started.
  public var running: [Running] = []

  /// Creates a record without a requested pass.
  public init() {}

  init(done: Int, total: Int, running: [Running]) {
    self.done = done
    self.total = total
    self.running = running
  }
}

/// A run, for the history.
public struct RunRecord: Hashable, Sendable {
  /// The result of a run.
  public enum Outcome: Hashable, Sendable {
    /// Succeeded.
    case complete
    /// Failed, and why.
    case failed(Cause)
    /// The run was told to stop; its result was dropped (S12).
    case cancelled
  }

  /// The number.
  public var run: RunID
  /// The initializer.
  public var initializer: String
  /// The number of the attempt.
  public var attempt: Int
  /// The pass.
  public var pass: PassID
  /// The phase of that pass.
  public var phase: Phase
  /// When the dependencies had completed, and the pass could run the initializer.
  public var ready: Instant
  /// The start of the run.
  public var started: Instant
  /// The duration of the run, so far if it is in flight.
  public var duration: Duration
  /// The outcome of the run; `nil` while it is in flight.
  public var outcome: Outcome?
  /// The dependencies that ran in the same pass before it.
  public var waitedFor: [String]
  /// When the worker had registered the initializer; `nil` if no worker provides it.
  public var provided: Instant?
  /// The last end of a run before this one started, which freed a place (S6).
  public var freed: RunEnd?
  /// The group in which the run has a place (S33).
  public var group: String?
  /// Whether the run takes a slot of the concurrency; not if it only waits (S6).
  public var takesSlot = true
  /// The total number of attempts of its initializer (S16).
  public var attempts = 1
  /// If the run failed and will be retried: the delay (S16).
  public var nextAttempt: Duration?
  /// If the run was cancelled: the reason.
  public var cancelled: Cancellation?

  /// Why a run was cancelled.
  public enum Cancellation: Hashable, Sendable {
    /// The app is no longer active (S11), even if another initializer had failed before.
    case deactivated
    /// The pass had failed, with this (S8).
    case failed(Failure)
    /// The initializer was removed (S21).
    case unregistered
    /// The supervisor is shutting down (S24).
    case shutdown

    /// The initializer whose failure was the reason.
    public var culprit: String? { if case .failed(let failure) = self { failure.initializer } else { nil } }
  }
}

/// The end of a run.
public struct RunEnd: Hashable, Sendable {
  /// The initializer of the run.
  public var initializer: String
  /// The time of the end.
  public var at: Instant

  /// Creates the end of a run of an initializer.
  public init(_ initializer: String, at: Instant) {
    self.initializer = initializer
    self.at = at
  }
}
