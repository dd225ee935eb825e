/// A phase of initialization.
public enum Phase: String, Sendable, Hashable, CaseIterable, Codable {
  /// Runs once, before the app is started.
  case launch
  /// Each time the app becomes active.
  case active
}

/// How a pass or a run ended.
public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
  /// Completed.
  case complete
  /// Stopped with an error.
  case failed
  /// Cancelled.
  case cancelled
}

/// A pass that has ended.
///
/// All times are seconds since the Unix epoch, and all durations are seconds.
public struct EndedPass: Sendable, Equatable {
  /// Why a pass failed.
  public struct Failure: Sendable, Equatable {
    /// The initializer that failed, if it was one.
    public var initializer: String?
    /// The error, for people.
    public var message: String

    /// Describes a failure.
    public init(initializer: String?, message: String) {
      self.initializer = initializer
      self.message = message
    }
  }

  /// Identifies the execution of a supervisor that executed it.
  public var instance: String
  /// The number, unique in one execution of a supervisor.
  public var number: Int
  /// The phase of the pass.
  public var phase: Phase
  /// The time at which the pass started.
  public var started: Double
  /// When the runs of the pass could begin; nil if they couldn't.
  public var opened: Double?
  /// The duration of the pass, from its start to its end.
  public var duration: Double
  /// The outcome of the pass.
  public var outcome: Outcome
  /// Why the pass failed.
  public var failure: Failure?
  /// How many runs could be in flight at once.
  public var concurrency: Int?
  /// The trace context of the supervisor's environment, if the pass belongs to its trace.
  public var traceparent: String?
  /// The runs, in the order in which they ended; each attempt is one.
  public var runs: [EndedRun]
  /// Where the time of each initializer went.
  public var initializers: [PassedInitializer]
  /// The critical path, in the order of time.
  public var criticalPath: [PathStep]

  /// Describes a pass.
  public init(
    instance: String, number: Int, phase: Phase, started: Double, opened: Double? = nil, duration: Double,
    outcome: Outcome, failure: Failure? = nil, concurrency: Int? = nil, traceparent: String? = nil,
    runs: [EndedRun] = [], initializers: [PassedInitializer] = [], criticalPath: [PathStep] = []
  ) {
    self.instance = instance
    self.number = number
    self.phase = phase
    self.started = started
    self.opened = opened
    self.duration = duration
    self.outcome = outcome
    self.failure = failure
    self.concurrency = concurrency
    self.traceparent = traceparent
    self.runs = runs
    self.initializers = initializers
    self.criticalPath = criticalPath
  }

  /// The time at which the pass ended.
  public var ended: Double { started + duration }
  /// The time that the pass's runs could take: from its opening to its end.
  public var openDuration: Double { opened.map { max(0, ended - $0) } ?? 0 }
}

/// A run of a pass that has ended: an attempt of an initializer.
public struct EndedRun: Sendable, Equatable {
  /// The number, unique in one execution of a supervisor.
  public var number: Int
  /// The initializer.
  public var initializer: String
  /// The number of the attempt in the pass, from 1.
  public var attempt: Int
  /// When the initializer's dependencies had completed.
  public var ready: Double
  /// The time at which the run started.
  public var started: Double
  /// The duration of the run.
  public var duration: Double
  /// The CPU time of the run, if it is known.
  public var cpu: Double?
  /// The outcome of the run.
  public var outcome: Outcome
  /// Why the run failed, for people.
  public var error: String?
  /// The initializers that the run waited for.
  public var waitedFor: [String]
  /// The trace context that the run's command or worker got.
  public var traceparent: String?
  /// The last lines that a failed run wrote; empty if they aren't known.
  public var output: [String]

  /// Describes a run.
  public init(
    number: Int, initializer: String, attempt: Int = 1, ready: Double, started: Double, duration: Double,
    cpu: Double? = nil, outcome: Outcome, error: String? = nil, waitedFor: [String] = [], traceparent: String? = nil,
    output: [String] = []
  ) {
    self.number = number
    self.initializer = initializer
    self.attempt = attempt
    self.ready = ready
    self.started = started
    self.duration = duration
    self.cpu = cpu
    self.outcome = outcome
    self.error = error
    self.waitedFor = waitedFor
    self.traceparent = traceparent
    self.output = output
  }

  /// The time at which the run ended.
  public var ended: Double { started + duration }
  /// How long a first attempt waited for a place or a worker, after its dependencies had completed; nil for a later attempt.
  public var queued: Double? { attempt == 1 ? max(0, started - ready) : nil }
}
