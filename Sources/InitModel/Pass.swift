public import InitJSON
public import InitWords

/// A pass (protocol §4, `history`).
///
/// A member without a value is nil, and left out.
public struct Pass: Sendable, Shape {
  /// The number.
  public var pass = 0
  /// The phase of the pass.
  public var phase: Word<Phase> = .unknown("")
  /// The time at which the pass started, in seconds since the Unix epoch.
  public var started: Double = 0
  /// The time at which the pass could begin its runs, in seconds since the Unix epoch: an active pass waits for launch.
  public var opened: Double?
  /// The duration of the pass, in seconds, from its start to its end; nil while it is in flight.
  public var duration: Double?
  /// The outcome of the pass; nil while it is in flight.
  public var outcome: Word<OutcomeName>?
  /// Whether the supervisor ended during it, for example because it was killed: then its outcome is cancelled; left out if not.
  public var interrupted: Bool?
  /// Why the pass failed.
  public var error: InitializationError?
  /// How many runs could be in flight at once.
  public var concurrency: Int?
  /// How many runs of each group could be in flight at once; nil without groups (S33).
  public var groups: [Status.Group]?
  /// How many cores the pass's runs could use, at its opening; nil if that isn't known.
  public var cores: Double?
  /// The CPU time that all processes used on these cores from the pass's opening to its end, in seconds; nil if it isn't known.
  public var busy: Double?
  /// The CPU time that kept processes used from the pass's opening to its end, in seconds, outside of their starts; nil if it isn't known.
  public var processes: Double?
  /// The CPU time that the supervisor itself used from the pass's opening to its end, in seconds; nil if it isn't known.
  public var supervisor: Double?
  /// The trace context of the supervisor's environment, if the pass belongs to its trace; nil if not.
  public var traceparent: String?
  /// The runs, in the order in which they ended; those in flight come last.
  public var runs: [Pass.Run] = []

  /// Creates an empty value, to be filled by reading.
  public init() {}

  /// Describes a pass and its runs.
  package init(
    pass: Int, phase: Phase, started: Double, opened: Double? = nil, duration: Double?, outcome: OutcomeName?,
    error: InitializationError? = nil, concurrency: Int? = nil, cores: Double? = nil,
    busy: Double? = nil, supervisor: Double? = nil, runs: [Pass.Run]
  ) {
    self.pass = pass
    self.phase = .known(phase)
    self.started = started
    self.opened = opened
    self.duration = duration
    self.outcome = outcome.map { .known($0) }
    self.error = error
    self.concurrency = concurrency
    self.cores = cores
    self.busy = busy
    self.supervisor = supervisor
    self.runs = runs
  }

  /// Visits the members, in the order in which they are written.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("phase", &phase)
    try json.required("started", &started)
    try json.optional("opened", &opened)
    try json.optional("duration", &duration)
    try json.optional("outcome", &outcome)
    try json.optional("interrupted", &interrupted)
    try json.optional("error", &error)
    try json.sent("concurrency", &concurrency)
    try json.optional("groups", &groups)
    try json.optional("cores", &cores)
    try json.optional("busy", &busy)
    try json.optional("processes", &processes)
    try json.optional("supervisor", &supervisor)
    try json.optional("traceparent", &traceparent)
    try json.required("runs", &runs)
  }
}

extension Pass {
  /// A run (protocol §4, `history`).
  ///
  /// A member without a value is nil, and left out.
  public struct Run: Sendable, Shape {
    /// The number.
    public var run = 0
    /// The initializer of the run.
    public var initializer = ""
    /// The number of the attempt in the pass, from 1 (S16).
    public var attempt = 0
    /// How many attempts the initializer has, if more than one (S16).
    public var attempts: Int?
    /// When the initializer's dependencies had completed, in seconds since the Unix epoch.
    public var ready: Double = 0
    /// When the worker had registered the initializer, in seconds since the Unix epoch.
    public var provided: Double?
    /// The initializer whose run ended last before this run started, and freed a place.
    public var freedBy: String?
    /// The end of that run, in seconds since the Unix epoch.
    public var freed: Double?
    /// The group in which the run had a place; nil if it had none (S33).
    public var group: String?
    /// Whether the run only waits, and takes no place of the concurrency (S6); nil if it takes one.
    public var waits: Bool?
    /// The start of the run, in seconds since the Unix epoch.
    public var started: Double = 0
    /// The duration of the run, in seconds; nil while it is in flight.
    public var duration: Double?
    /// The CPU time of the run, in seconds; nil while the run is in flight, and if the time is unknown.
    public var cpu: Double?
    /// If it waits in a loop until something holds: the pause between two tries, in seconds.
    public var polls: Double?
    /// The outcome of the run; nil while it is in flight.
    public var outcome: Word<OutcomeName>?
    /// Why the run failed.
    public var cause: Cause?
    /// The trace context that the run's command or worker got; nil if the supervisor doesn't report it.
    public var traceparent: String?
    /// The names of the initializers that the run waited for.
    public var waitedFor: [String] = []

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes a run of an initializer.
    package init(
      run: Int, initializer: String, attempt: Int, attempts: Int? = nil, ready: Double, provided: Double? = nil,
      freedBy: String? = nil, freed: Double? = nil, started: Double, duration: Double?, cpu: Double? = nil,
      polls: Double? = nil, outcome: OutcomeName?, cause: Cause? = nil, waitedFor: [String]
    ) {
      self.run = run
      self.initializer = initializer
      self.attempt = attempt
      self.attempts = attempts
      self.ready = ready
      self.provided = provided
      self.freedBy = freedBy
      self.freed = freed
      self.started = started
      self.duration = duration
      self.cpu = cpu
      self.polls = polls
      self.outcome = outcome.map { .known($0) }
      self.cause = cause
      self.waitedFor = waitedFor
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("run", &run)
      try json.required("initializer", &initializer)
      try json.required("attempt", &attempt)
      try json.optional("attempts", &attempts)
      try json.required("ready", &ready)
      try json.optional("provided", &provided)
      try json.optional("freedBy", &freedBy)
      try json.optional("freed", &freed)
      try json.optional("group", &group)
      try json.optional("waits", &waits)
      try json.required("started", &started)
      try json.optional("duration", &duration)
      try json.optional("cpu", &cpu)
      try json.optional("polls", &polls)
      try json.optional("outcome", &outcome)
      try json.optional("cause", &cause)
      try json.optional("traceparent", &traceparent)
      try json.required("waitedFor", &waitedFor)
    }
  }
}
