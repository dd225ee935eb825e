/// The whole picture at one moment (protocol §3).
public struct StatusShape: Codable, Sendable, Equatable {
  /// The number of the last event that it contains; later events have greater ones.
  public var seq: Int
  /// The moment, in seconds since the Unix epoch.
  public var time: Double
  /// Which life of a supervisor this is: different after every start.
  public var instance: String
  /// The supervisor's process.
  public var pid: Int
  /// How long it has been up, in seconds.
  public var uptime: Double
  /// Where the app is.
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
  /// What is wrong with the supervisor itself, a sentence each; nil if nothing is.
  public var warnings: [String]?
  /// The processes that it keeps running, in the manifest's order; nil from a supervisor that doesn't tell.
  public var processes: [ProcessShape]?

  /// The picture at one moment.
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
  /// Its process, by the kernel's word; nil where the kernel can't tell.
  public var pid: Int?
  /// The names it provides.
  public var initializers: [String]

  /// A worker and what it provides.
  public init(client: String, pid: Int?, initializers: [String]) {
    self.client = client
    self.pid = pid
    self.initializers = initializers
  }
}
