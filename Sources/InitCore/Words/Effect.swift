/// What a machine asks of whoever drives it. Runs are named by number; nothing here holds a closure or a handle.
public enum Effect: Hashable, Sendable {
  /// Have the initializer's provider run it, and answer with `runFinished`.
  case startRun(RunStart)
  /// Tell the run to stop. It occupies its place until `runFinished` (S13).
  case cancelRun(Int, CancelReason)
  /// The run was told to stop and hasn't for the length of `cancelGrace`: make it stop (S13).
  case killRun(Int)
  /// Tell every observer.
  case publish(Notice)
  /// Shutting down is over: nothing runs any more (S24).
  case finish
  /// Have the initializer's provider release what a completed run has set up, and answer with `stopEnded` (S24). One at a time.
  case startStop(RunStart)
  /// That takes longer than `stopTimeout`: tell it to end.
  case cancelStop(Int)
  /// It hasn't ended for the length of `cancelGrace`: make it end. The next one's turn comes.
  case giveUpStop(Int)
  /// Everything is stopped.
  case finishStops
}

/// A run to start.
public struct RunStart: Hashable, Sendable {
  /// Its number: unique, and larger than those of all runs before it.
  public let run: Int
  /// What to run.
  public let initializer: String
  /// The pass it belongs to, and that pass's phase.
  public let pass: Int
  public let phase: Phase
  /// Which attempt this is; the first is 1 (S16).
  public let attempt: Int
  /// How long it may take (S15).
  public let timeout: Duration?
  /// Which worker provides it; `nil` for a command or a Swift object.
  public let worker: WorkerID?

  /// A run to start.
  public init(
    run: Int, initializer: String, pass: Int, phase: Phase, attempt: Int, timeout: Duration?, worker: WorkerID?
  ) {
    self.run = run
    self.initializer = initializer
    self.pass = pass
    self.phase = phase
    self.attempt = attempt
    self.timeout = timeout
    self.worker = worker
  }
}

/// Something that observers are told, committed before they are.
public enum Notice: Hashable, Sendable {
  /// The states, of one moment, and what of them changed (S1).
  case state(StateRecord, changed: Set<StateRecord.Aspect>)
  /// What is to be seen of an initializer changed.
  case initializer(InitializerSnapshot)
  /// An initializer was taken away (S21): nobody declares the name any more. The snapshot is its last.
  case initializerRemoved(InitializerSnapshot)
  /// A pass started, or ended. Each does both exactly once.
  case pass(number: Int, phase: Phase, PassStatus)
  /// A pass was cancelled before it could start (S14). Its start and its end follow when the pass before it has ended.
  case passAbandoned(number: Int)
  /// A run is over. For those who keep a history.
  case runEnded(RunRecord)
}

/// What has become of a pass.
public enum PassStatus: Hashable, Sendable {
  /// It is under way.
  case started
  /// Everything in it completed, what is optional aside.
  case complete
  /// It stopped at an error (S8).
  case failed(Failure)
  /// It was cancelled, and what it ran has stopped (S11).
  case cancelled
}

/// All that is to be seen of an initializer at one moment.
public struct InitializerSnapshot: Hashable, Sendable {
  /// As it was last declared.
  public var declaration: Declaration
  /// Who runs it.
  public var provider: ProviderKind
  /// Whether its provider is there: always, unless that is a worker.
  public var isAvailable: Bool
  /// What has become of it.
  public var status: InitializerStatus
  /// Who stood in the way, if it is `notRun`.
  public var blockedBy: String?
  /// Its last run, or the one in flight.
  public var run: RunSnapshot?
  /// Why it failed, or why its pass did before it came to it.
  public var failure: Failure?
}

/// What is to be seen of a run.
public struct RunSnapshot: Hashable, Sendable {
  /// Its number.
  public var number: Int
  /// Which attempt it is.
  public var attempt: Int
  /// Its pass, and that pass's phase.
  public var pass: Int
  public var phase: Phase
  /// When it started.
  public var started: Instant
  /// How long it took, once it is over.
  public var duration: Duration?
  /// How far it said it was (S17).
  public var progress: RunProgress?
}

/// How far a run is, in its own words (S17).
public struct RunProgress: Hashable, Sendable {
  /// 0…1; it doesn't go down.
  public var fraction: Double?
  /// What it is doing.
  public var message: String?
}

/// How far initialization is.
public struct Progress: Hashable, Sendable {
  /// Something that runs.
  public struct Running: Hashable, Sendable {
    /// The initializer.
    public let initializer: String
    /// How far it said it is.
    public let progress: RunProgress?
  }

  /// With how many initializers the newest passes are through, and of how many they are made.
  public var done = 0
  public var total = 0
  /// What runs, in the order in which it started.
  public var running: [Running] = []

  /// Nothing was to be done yet.
  public init() {}

  init(done: Int, total: Int, running: [Running]) {
    self.done = done
    self.total = total
    self.running = running
  }
}

/// A run that is over, for the history.
public struct RunRecord: Hashable, Sendable {
  /// How a run ended.
  public enum Outcome: Hashable, Sendable {
    /// It did what it was for.
    case complete
    /// It failed, and why.
    case failed(Cause)
    /// It was told to stop; whatever it reported was dropped (S12).
    case cancelled
  }

  /// Its number, its initializer and which attempt it was.
  public var run: Int
  public var initializer: String
  public var attempt: Int
  /// Its pass, and that pass's phase.
  public var pass: Int
  public var phase: Phase
  /// When its dependencies had completed and its pass could run it.
  public var ready: Instant
  /// When it started, and how long it took.
  public var started: Instant
  public var duration: Duration
  /// How it ended.
  public var outcome: Outcome
  /// The dependencies that ran in the same pass before it.
  public var waitedFor: [String]
  /// If it failed: how many attempts its initializer has in all (S16).
  public var attempts = 1
  /// If it failed and is tried again: how long the delay is (S16).
  public var nextAttempt: Duration?
  /// If it was cancelled: why.
  public var cancelled: Cancellation?

  /// Why a run was cancelled.
  public enum Cancellation: Hashable, Sendable {
    /// The app is no longer active (S11), also if another initializer had failed before.
    case deactivated
    /// The pass had failed, with this (S8).
    case failed(Failure)
    /// Its initializer was taken away (S21).
    case unregistered
    /// The supervisor is shutting down (S24).
    case shutdown
  }
}
