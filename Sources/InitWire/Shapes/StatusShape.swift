/// The Status: the state of everything at one moment (protocol §3).
public struct StatusShape: Sendable, Shape {
  /// The number of the last event that it includes; later events have greater numbers.
  public var seq = 0
  /// The moment, in seconds since the Unix epoch.
  public var time: Double = 0
  /// Identifies one execution of a supervisor: different after every start.
  public var instance = ""
  /// The supervisor's process id.
  public var pid = 0
  /// How long it has been up, in seconds.
  public var uptime: Double = 0
  /// The app's lifecycle.
  public var lifecycle: Word<Lifecycle> = .unknown("")
  /// The launch phase's state.
  public var launch = StateShape()
  /// The active phase's state.
  public var active = StateShape()
  /// The composite of both (S1).
  public var composite = StateShape()
  /// How many connections hold the app active (S23).
  public var holds = 0
  /// How many initializers may run at once (S6).
  public var concurrency = 0
  /// All initializers, in the order of registration.
  public var initializers: [InitializerShape] = []
  /// All connected workers.
  public var workers: [WorkerShape] = []
  /// The problems of the supervisor itself, one sentence each; nil if there are none.
  public var warnings: [String]?
  /// The processes that it keeps running, in the manifest's order; nil from a supervisor that doesn't report them.
  public var processes: [ProcessShape]?

  /// An empty value, to be filled by reading.
  package init() {}

  /// The Status at one moment.
  public init(
    seq: Int, time: Double, instance: String, pid: Int, uptime: Double, lifecycle: Lifecycle, launch: StateShape,
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

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try visitMoment(&json)
    try visitState(&json)
  }

  /// The members that change even if nothing happens, and few others.
  mutating func visitMoment(_ json: inout some Members) throws(ShapeFault) {
    try json.required("seq", &seq)
    try json.required("time", &time)
    try json.required("instance", &instance)
    try json.required("pid", &pid)
    try json.required("uptime", &uptime)
    try json.optional("processes", &processes)
  }

  /// The other members.
  mutating func visitState(_ json: inout some Members) throws(ShapeFault) {
    try json.required("lifecycle", &lifecycle)
    try json.required("launch", &launch)
    try json.required("active", &active)
    try json.required("composite", &composite)
    try json.required("holds", &holds)
    try json.required("concurrency", &concurrency)
    try json.required("initializers", &initializers)
    try json.required("workers", &workers)
    try json.optional("warnings", &warnings)
  }
}

/// A connected worker (protocol §3).
public struct WorkerShape: Sendable, Shape {
  /// Its name from `hello`.
  public var client = ""
  /// Its process id, as the kernel reports it; nil if it is unknown.
  public var pid: Int?
  /// The names of its initializers.
  public var initializers: [String] = []

  /// An empty value, to be filled by reading.
  package init() {}

  /// A worker and its initializers.
  public init(client: String, pid: Int?, initializers: [String]) {
    self.client = client
    self.pid = pid
    self.initializers = initializers
  }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("client", &client)
    try json.optional("pid", &pid)
    try json.required("initializers", &initializers)
  }
}
