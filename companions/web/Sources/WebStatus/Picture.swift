public import Passes

/// A supervisor and its initializers at one moment, with the members that probes and metrics need.
public struct Picture: Sendable, Equatable {
  /// Identifies one execution of a supervisor.
  public var instance: String
  /// The supervisor's process.
  public var pid: Int
  /// The states.
  public var states: States
  /// All initializers.
  public var initializers: [Initializer]
  /// All connected workers.
  public var workers: [ConnectedWorker]
  /// The processes that the supervisor keeps running.
  public var processes: [KeptProcess]
  /// How many connections get events; nil if the supervisor doesn't tell.
  public var subscribers: Int?

  /// Describes a supervisor.
  public init(
    instance: String, pid: Int, states: States, initializers: [Initializer] = [], workers: [ConnectedWorker] = [],
    processes: [KeptProcess] = [], subscribers: Int? = nil
  ) {
    self.instance = instance
    self.pid = pid
    self.states = states
    self.initializers = initializers
    self.workers = workers
    self.processes = processes
    self.subscribers = subscribers
  }
}

/// The state of a phase, or of both.
public enum PhaseState: Sendable, Equatable {
  /// Not complete.
  case pending
  /// Complete.
  case complete
  /// Failed, and why.
  case failed(String)

  /// The name of the state in the protocol.
  var word: String {
    switch self {
    case .pending: "pending"
    case .complete: "complete"
    case .failed: "failed"
    }
  }
}

/// The states of one moment.
public struct States: Sendable, Equatable {
  /// The launch phase's.
  public var launch: PhaseState
  /// The active phase's.
  public var active: PhaseState
  /// The composite of both.
  public var composite: PhaseState
  /// Whether the app is active.
  public var isActive: Bool

  /// Describes the states.
  public init(launch: PhaseState, active: PhaseState, composite: PhaseState, isActive: Bool) {
    self.launch = launch
    self.active = active
    self.composite = composite
    self.isActive = isActive
  }
}

/// An initializer at one moment.
public struct Initializer: Sendable, Equatable {
  /// The last run of an initializer.
  public struct Run: Sendable, Equatable {
    /// The number, unique in one execution of a supervisor.
    public var number: Int
    /// The number of the attempt in the pass, from 1.
    public var attempt: Int
    /// The number of the pass.
    public var pass: Int
    /// The start of the run, in seconds since the Unix epoch, if it is known.
    public var started: Double?
    /// The duration of the run, in seconds; nil while it is in flight.
    public var duration: Double?

    /// Describes a run.
    public init(number: Int, attempt: Int, pass: Int, started: Double? = nil, duration: Double?) {
      self.number = number
      self.attempt = attempt
      self.pass = pass
      self.started = started
      self.duration = duration
    }
  }

  /// The name.
  public var name: String
  /// The phase that runs the initializer.
  public var phase: Phase
  /// The names of the initializer's dependencies.
  public var dependencies: [String]
  /// Whether the initializer's provider can run it now.
  public var isAvailable: Bool
  /// Whether the other initializers continue if this one fails.
  public var isOptional: Bool
  /// The status in the protocol's words, such as `running`.
  public var status: String
  /// The initializer whose failure prevented this initializer's run, or stopped it.
  public var blockedBy: String?
  /// The last run; nil before the first.
  public var run: Run?
  /// The share of the work that is done, 0…1, if the run has reported it.
  public var fraction: Double?
  /// The message that this run reported.
  public var message: String?
  /// Why the last run failed.
  public var error: String?

  /// Describes an initializer.
  public init(
    name: String, phase: Phase = .launch, dependencies: [String] = [], isAvailable: Bool = true,
    isOptional: Bool = false, status: String,
    blockedBy: String? = nil, run: Run? = nil, fraction: Double? = nil, message: String? = nil, error: String? = nil
  ) {
    self.name = name
    self.phase = phase
    self.dependencies = dependencies
    self.isAvailable = isAvailable
    self.isOptional = isOptional
    self.status = status
    self.blockedBy = blockedBy
    self.run = run
    self.fraction = fraction
    self.message = message
    self.error = error
  }

  /// Whether a pass still has to run or stop it.
  var isInPass: Bool { status == "waiting" || status == "running" || status == "stopping" }
}

/// A connected worker.
public struct ConnectedWorker: Sendable, Equatable {
  /// The client's name.
  public var name: String
  /// The process, if it is known.
  public var pid: Int?
  /// The initializers that the worker provides.
  public var initializers: [String]

  /// Describes a worker.
  public init(name: String, pid: Int?, initializers: [String]) {
    self.name = name
    self.pid = pid
    self.initializers = initializers
  }
}

/// A process that the supervisor keeps running.
public struct KeptProcess: Sendable, Equatable {
  /// The name in the manifest.
  public var name: String
  /// The process id; nil while it doesn't run.
  public var pid: Int?
  /// The time of the last start, in seconds since the Unix epoch; nil while the process doesn't run.
  public var started: Double?
  /// How often the process was restarted.
  public var restarts: Int
  /// Whether the process isn't restarted any more, because it exited too often.
  public var isGivenUp: Bool
  /// The cause of the last exit, or why the process couldn't be started.
  public var lastExit: String?
  /// The time of the next restart, in seconds since the Unix epoch, if one is scheduled.
  public var nextStart: Double?
  /// Why the process isn't started although nothing has failed.
  public var skipped: String?
  /// Whether the checks of the process fail.
  public var isUnhealthy: Bool
  /// What a person has done with the process, or why it is unhealthy.
  public var note: String?

  /// Whether the process runs.
  public var isRunning: Bool { pid != nil }

  /// Describes a process.
  public init(
    name: String, pid: Int? = nil, started: Double? = nil, restarts: Int = 0, isGivenUp: Bool = false,
    lastExit: String? = nil, nextStart: Double? = nil, skipped: String? = nil,
    isUnhealthy: Bool = false, note: String? = nil
  ) {
    self.isUnhealthy = isUnhealthy
    self.note = note
    self.name = name
    self.pid = pid
    self.started = started
    self.restarts = restarts
    self.isGivenUp = isGivenUp
    self.lastExit = lastExit
    self.nextStart = nextStart
    self.skipped = skipped
  }
}
