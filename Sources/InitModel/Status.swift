public import InitJSON
public import InitWords

/// The Status: the state of everything at one moment (protocol §3).
public struct Status: Sendable, Shape {
  /// The number of the last event that the Status includes; later events have greater numbers.
  public var seq = 0
  /// The moment, in seconds since the Unix epoch.
  public var time: Double = 0
  /// Identifies one execution of a supervisor: different after every start.
  public var instance = ""
  /// The supervisor's process id.
  public var pid = 0
  /// How long the supervisor has been up, in seconds.
  public var uptime: Double = 0
  /// How many connections get events; nil from a supervisor that doesn't report that.
  public var subscribers: Int?
  /// The app's lifecycle.
  public var lifecycle: Word<Lifecycle> = .unknown("")
  /// The launch phase's state.
  public var launch = Status.State()
  /// The active phase's state.
  public var active = Status.State()
  /// The composite of both (S1).
  public var composite = Status.State()
  /// How many connections hold the app active (S23).
  public var holds = 0
  /// The fencing token of the client that holds the app active with a lease; nil without one.
  public var fence: Int?
  /// How many initializers may run at once (S6).
  public var concurrency = 0
  /// The groups, by name; nil without groups (S33).
  public var groups: [Status.Group]?
  /// The numbers of the ports, by name; nil without ports (S36).
  public var ports: [String: Int]?
  /// The absolute paths of the manifest's files, without their includes; nil without a manifest.
  public var manifest: [String]?
  /// All files from which the manifest was read; nil without a manifest.
  public var sources: [Status.Source]?
  /// Whether the supervisor runs again what depends on files when they change; nil if it doesn't (S40).
  public var watch: Bool?
  /// The passes in flight; nil from a supervisor that doesn't report them.
  public var inFlight: [Status.PassInFlight]?
  /// All initializers, in the order of registration.
  public var initializers: [Initializer] = []
  /// All initializers as JSON texts, which are written instead of ``initializers``; nil if there are none yet.
  package var initializerTexts: [InitializerText]?
  /// All connected workers.
  public var workers: [Status.Worker] = []
  /// The problems of the supervisor itself, one sentence each; nil if it has none.
  public var warnings: [String]?
  /// The processes that the supervisor keeps running, in the manifest's order; nil from a supervisor that doesn't report them.
  public var processes: [Status.Process]?

  /// Whether the app is active.
  public var isActive: Bool { lifecycle == .active }

  /// Returns the initializer of that name; nil if none has it.
  public subscript(name: String) -> Initializer? { initializers.first { $0.name == name } }

  /// Creates an empty value, to be filled by reading.
  public init() {}

  /// Describes the Status at one moment.
  package init(
    seq: Int, time: Double, instance: String, pid: Int, uptime: Double, lifecycle: Lifecycle, launch: Status.State,
    active: Status.State, composite: Status.State, holds: Int, concurrency: Int, initializers: [Initializer],
    workers: [Status.Worker], warnings: [String] = [], processes: [Status.Process]? = nil
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

  /// Visits the members, in the order in which they are written.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try visitMoment(&json)
    try visitState(&json)
  }

  /// Visits the members that change even if nothing happens, and few others.
  package mutating func visitMoment(_ json: inout Members) throws(ShapeFault) {
    try json.required("seq", &seq)
    try json.required("time", &time)
    try json.required("instance", &instance)
    try json.required("pid", &pid)
    try json.required("uptime", &uptime)
    try json.sent("subscribers", &subscribers)
    try json.sent("processes", &processes)
  }

  /// Visits the other members.
  package mutating func visitState(_ json: inout Members) throws(ShapeFault) {
    try json.required("lifecycle", &lifecycle)
    try json.required("launch", &launch)
    try json.required("active", &active)
    try json.required("composite", &composite)
    try json.required("holds", &holds)
    try json.optional("fence", &fence)
    try json.required("concurrency", &concurrency)
    try json.optional("groups", &groups)
    try json.optional("ports", &ports)
    try json.optional("manifest", &manifest)
    try json.optional("sources", &sources)
    try json.optional("watch", &watch)
    try json.sent("inFlight", &inFlight)
    if var texts = initializerTexts {
      try json.required("initializers", &texts)
    } else {
      try json.required("initializers", &initializers)
    }
    try json.required("workers", &workers)
    try json.optional("warnings", &warnings)
  }
}

/// An initializer at one time as JSON text: most of a Status is the same as in the previous one.
package struct InitializerText: Sendable, Hashable, JSONValue {
  private let bytes: [UInt8]

  /// Writes an initializer.
  package init(_ shape: Initializer) {
    do throws(ShapeFault) { bytes = try shape.json() } catch {
      preconditionFailure("the supervisor's own numbers are finite: \(error)")
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the value.
  public static func read(_ json: RawJSON, _: ReadingManner) -> InitializerText {
    InitializerText(bytes: Array(json.bytes))
  }

  /// Writes the value.
  public func write(to writer: inout JSONWriter) { writer.raw(bytes[...]) }

  /// Returns the form of an initializer.
  public static func form(in book: SchemaBook) -> SchemaBook.Form { Initializer.form(in: book) }
}

extension Status {
  /// A pass in flight (protocol §3).
  public struct PassInFlight: Sendable, Shape {
    /// The number.
    public var pass = 0
    /// The phase of the pass.
    public var phase: Word<Phase> = .unknown("")
    /// The time at which the pass could begin, in seconds since the Unix epoch; nil for an active pass that waits for launch.
    public var opened: Double?

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes a pass in flight.
    package init(pass: Int, phase: Phase, opened: Double?) {
      self.pass = pass
      self.phase = .known(phase)
      self.opened = opened
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("pass", &pass)
      try json.required("phase", &phase)
      try json.optional("opened", &opened)
    }
  }
}

extension Status {
  /// A connected worker (protocol §3).
  public struct Worker: Sendable, Shape {
    /// The name from `hello`.
    public var client = ""
    /// The process id, as the kernel reports it; nil if it is unknown.
    public var pid: Int?
    /// The names of the worker's initializers.
    public var initializers: [String] = []

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes a worker and its initializers.
    package init(client: String, pid: Int?, initializers: [String]) {
      self.client = client
      self.pid = pid
      self.initializers = initializers
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("client", &client)
      try json.optional("pid", &pid)
      try json.required("initializers", &initializers)
    }
  }
}
