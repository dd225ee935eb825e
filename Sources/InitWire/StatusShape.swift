/// The complete status of a supervisor at one moment.
public struct StatusShape: Codable, Sendable, Equatable {
  /// The number of the last event that it contains; later events have greater ones.
  public var seq: Int
  /// The moment, in seconds since the Unix epoch.
  public var time: Double
  /// Identifies one execution of a supervisor: different after every start.
  public var instance: String
  /// The supervisor's process.
  public var pid: Int
  /// The seconds since its start.
  public var uptime: Double
  /// The lifecycle.
  public var lifecycle: Word<LifecycleName>
  /// The launch phase's state.
  public var launch: StateShape
  /// The active phase's state.
  public var active: StateShape
  /// Both together (S1).
  public var composite: StateShape
  /// How many connections hold the app active (S23).
  public var holds: Int
  /// How many initializers may run at once (S6).
  public var concurrency: Int
  /// All initializers, in the order of registration.
  public var initializers: [InitializerShape]
  /// All connected workers.
  public var workers: [WorkerShape]
  /// Problems of the supervisor itself, a sentence each; nil if there are none.
  public var warnings: [String]?
  /// The processes that it keeps running, in the manifest's order; nil from a supervisor that doesn't report them.
  public var processes: [ProcessShape]?

  /// A Status.
  public init(
    seq: Int, time: Double, instance: String, pid: Int, uptime: Double, lifecycle: LifecycleName, launch: StateShape,
    active: StateShape, composite: StateShape, holds: Int, concurrency: Int, initializers: [InitializerShape],
    workers: [WorkerShape], warnings: [String] = [], processes: [ProcessShape]? = nil
  ) {
    self.seq = seq
    self.time = time
    self.instance = instance
    self.pid = pid
    self.uptime = uptime
    self.lifecycle = .known(lifecycle)
    self.launch = launch
    self.active = active
    self.composite = composite
    self.holds = holds
    self.concurrency = concurrency
    self.initializers = initializers
    self.workers = workers
    self.warnings = warnings.isEmpty ? nil : warnings
    self.processes = processes
  }
}

/// A connected worker (protocol §3).
public struct WorkerShape: Codable, Sendable, Equatable {
  /// The name it gave in `hello`.
  public var client: String
  /// Its process, as reported by the kernel; nil if unknown.
  public var pid: Int?
  /// The names it provides.
  public var initializers: [String]

  /// A worker and its initializers.
  public init(client: String, pid: Int?, initializers: [String]) {
    self.client = client
    self.pid = pid
    self.initializers = initializers
  }
}
