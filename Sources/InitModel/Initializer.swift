public import InitJSON
public import InitWords

/// An initializer at one moment (protocol §3).
///
/// A member without a value is nil, and left out.
public struct Initializer: Sendable, Shape {
  /// The name.
  public var name = ""
  /// The phase that the initializer belongs to.
  public var priority: Word<Priority> = .unknown("")
  /// The names of the initializer's dependencies, as declared.
  public var dependencies: [String] = []
  /// The names of the initializers after whose end it starts, as declared; left out if there are none (S6).
  public var after: [String]?
  /// The kind of the initializer's provider.
  public var provider: Word<ProviderKind> = .unknown("")
  /// The target that the initializer waits for, as in the manifest, if that is its work (S31).
  public var waitsFor: String?
  /// The process of the supervisor that registers it, if the manifest says so (S32).
  public var process: String?
  /// Whether the provider can run it now.
  public var available = false
  /// The current activity.
  public var status: Word<InitializerStatus> = .unknown("")
  /// Whether the pass continues if the initializer fails (S8); left out if not.
  public var optional: Bool?
  /// The group that limits how many of its initializers run at once; left out if the initializer has none (S33).
  public var group: String?
  /// The initializer whose failure prevented this initializer's run, or stopped it.
  public var blockedBy: String?
  /// Why the initializer was skipped; left out if it wasn't.
  public var skipped: Initializer.Skip?
  /// Why the initializer runs again although an earlier supervisor has run it; left out once it is complete.
  public var again: Initializer.Again?
  /// Whether the initializer is complete, but a dependency has run since then (S26); left out if not.
  public var stale: Bool?
  /// Whether the initializer failed, and a reload has changed its work since then (S27); left out if not.
  public var changed: Bool?
  /// The number of the initializer's last run.
  public var run: Int?
  /// The number of the attempt in the pass, from 1 (S16).
  public var attempt: Int?
  /// The number of attempts, if more than one (S16).
  public var attempts: Int?
  /// When its next attempt starts, in seconds since the Unix epoch, if it waits for that.
  public var nextAttempt: Double?
  /// The pass of that run.
  public var pass: Int?
  /// The phase of that pass.
  public var phase: Word<Phase>?
  /// The start of that run, in seconds since the Unix epoch.
  public var started: Double?
  /// The duration of that run, in seconds.
  public var duration: Double?
  /// When the first attempt started, in seconds since the Unix epoch, if the current attempt is a later one (S16).
  public var firstStarted: Double?
  /// The process id of the command that runs; nil if none does.
  public var pid: Int?
  /// The last progress report of that run (S17).
  public var progress: Initializer.Progress?
  /// The error.
  public var error: InitializationError?
  /// Why the command was killed, for people, if it failed and had to be killed; the error is that of the pass, which failed before.
  public var killed: String?
  /// If the initializer is marked `once`: its release, and the last decision about it.
  public var once: Initializer.Once?

  /// Creates an empty value, to be filled by reading.
  public init() {}

  /// Describes an initializer at one moment.
  package init(
    name: String, priority: Priority, dependencies: [String], provider: ProviderKind, available: Bool,
    status: InitializerStatus, isOptional: Bool = false, isStale: Bool = false, blockedBy: String? = nil,
    run: Int? = nil, attempt: Int? = nil,
    attempts: Int? = nil, nextAttempt: Double? = nil, pass: Int? = nil, phase: Phase? = nil, started: Double? = nil,
    duration: Double? = nil, firstStarted: Double? = nil, progress: Initializer.Progress? = nil,
    error: InitializationError? = nil
  ) {
    self.name = name
    self.priority = .known(priority)
    self.dependencies = dependencies
    self.provider = .known(provider)
    self.available = available
    self.status = .known(status)
    optional = isOptional ? true : nil
    stale = isStale ? true : nil
    self.blockedBy = blockedBy
    self.run = run
    self.attempt = attempt
    self.attempts = attempts
    self.nextAttempt = nextAttempt
    self.pass = pass
    self.phase = phase.map { .known($0) }
    self.started = started
    self.duration = duration
    self.firstStarted = firstStarted
    self.progress = progress
    self.error = error
  }

  /// Visits the members, in the order in which they are written.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("priority", &priority)
    try json.required("dependencies", &dependencies)
    try json.optional("after", &after)
    try json.required("provider", &provider)
    try json.optional("waitsFor", &waitsFor)
    try json.optional("process", &process)
    try json.required("available", &available)
    try json.required("status", &status)
    try json.optional("optional", &optional)
    try json.optional("group", &group)
    try json.optional("blockedBy", &blockedBy)
    try json.optional("skipped", &skipped)
    try json.optional("again", &again)
    try json.optional("stale", &stale)
    try json.optional("changed", &changed)
    try json.optional("run", &run)
    try json.optional("attempt", &attempt)
    try json.optional("attempts", &attempts)
    try json.optional("nextAttempt", &nextAttempt)
    try json.optional("pass", &pass)
    try json.optional("phase", &phase)
    try json.optional("started", &started)
    try json.optional("duration", &duration)
    try json.optional("firstStarted", &firstStarted)
    try json.optional("pid", &pid)
    try json.optional("progress", &progress)
    try json.optional("error", &error)
    try json.optional("killed", &killed)
    try json.optional("once", &once)
  }
}

extension Initializer {
  /// Why an initializer runs again although an earlier supervisor has run it (protocol §3).
  public struct Again: Sendable, Hashable, Shape {
    /// The reason in the protocol's words.
    public var reason: Word<AgainReason>
    /// The dependency that runs again, if that is the reason.
    public var initializer: String?
    /// The reason for people, as it follows "it runs again because".
    public var message: String

    /// Creates a reason.
    ///
    /// `initializer` is the dependency, if that is the reason.
    package init(_ reason: AgainReason, of initializer: String? = nil) {
      self.reason = .known(reason)
      self.initializer = initializer
      message = Self.message(reason, initializer)
    }

    /// Creates an empty value, to be filled by reading.
    public init() {
      reason = .unknown("")
      message = ""
    }

    private static func message(_ reason: AgainReason, _ initializer: String?) -> String {
      switch reason {
      case .secret: "its output is secret, and secrets aren't recorded"
      case .stopped: "it was stopped at the shutdown"
      case .failed: "it failed"
      case .cancelled: "it was cancelled"
      case .interrupted: "the supervisor ended while it ran"
      case .changed: "its definition has changed since it completed"
      case .inputs: "its inputs aren't known to be the same as when it completed"
      case .stale: "something that it depends on has run since it completed"
      case .expired: "it completed longer ago than its freshFor"
      case .perProcess: "its effect ended with its process (perProcess)"
      case .checked: "what it waits for is checked at each start"
      case .inProcess: "its effect ended with the supervisor's process"
      case .once: "the coordinator decides about it (once: fleet)"
      case .dependency: "it depends on \(initializer ?? "an initializer"), which runs again"
      case .unrecorded: "its completion didn't fit into the state file"
      }
    }

    /// Returns the reason of several initializers, for people.
    package static func ofMany(_ reason: AgainReason) -> String {
      switch reason {
      case .secret: "their outputs are secret, and secrets aren't recorded"
      case .stopped: "they were stopped at the shutdown"
      case .failed: "they failed"
      case .cancelled: "they were cancelled"
      case .interrupted: "the supervisor ended while they ran"
      case .changed: "their definitions have changed since they completed"
      case .inputs: "their inputs aren't known to be the same as when they completed"
      case .stale: "something that they depend on has run since they completed"
      case .expired: "they completed longer ago than their freshFor"
      case .perProcess: "their effects ended with their processes (perProcess)"
      case .checked: "what they wait for is checked at each start"
      case .inProcess: "their effects ended with the supervisor's process"
      case .once: "the coordinator decides about them (once: fleet)"
      case .dependency: "they depend on initializers that run again"
      case .unrecorded: "their completions didn't fit into the state file"
      }
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      message = json.detail.cut(message)
      try json.required("reason", &reason)
      try json.optional("initializer", &initializer)
      try json.required("message", &message)
    }
  }
}

extension Initializer {
  /// A progress report of a run (protocol §3, S17).
  public struct Progress: Sendable, Shape {
    /// The progress, 0…1.
    public var fraction: Double?
    /// The current activity, for people.
    public var message: String?

    /// Creates a report with a fraction, a message, or both.
    package init(fraction: Double? = nil, message: String? = nil) {
      self.fraction = fraction
      self.message = message
    }

    /// Creates an empty value, to be filled by reading.
    public init() { self.init(fraction: nil) }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      message = message.map(json.detail.cut)
      try json.optional("fraction", &fraction)
      try json.optional("message", &message)
    }
  }
}
