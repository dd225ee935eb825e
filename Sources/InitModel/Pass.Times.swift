public import InitJSON
public import InitWords

extension Pass {
  /// Where the time of a pass and of each of its initializers went (protocol §4, `history`).
  ///
  /// A member without a value is nil, and left out.
  public struct Times: Sendable, Shape {
    /// The instance of the supervisor that executed the pass; nil for the supervisor that answers.
    public var instance: String?
    /// The number.
    public var pass = 0
    /// The phase of the pass.
    public var phase: Word<Phase> = .unknown("")
    /// The outcome of the pass: complete, failed or cancelled; or running.
    public var outcome: Word<InitializerStatus> = .unknown("")
    /// Whether the supervisor ended during it, for example because it was killed: then its outcome is cancelled; left out if not.
    public var interrupted: Bool?
    /// The time at which the pass started, in seconds since the Unix epoch.
    public var started: Double = 0
    /// How long the pass waited before it could begin its runs, in seconds.
    public var held: Double = 0
    /// The duration of the pass from its opening to its end, in seconds.
    public var duration: Double = 0
    /// How many cores the pass's runs could use, at its opening; nil if that isn't known.
    public var cores: Double?
    /// The number of runs; nil in a summary of a supervisor that didn't report it.
    public var runs: Int?
    /// The initializer whose failure failed the pass; nil if the pass hasn't failed.
    public var failedBy: String?
    /// The initializers.
    public var initializers: [Pass.InitializerTimes] = []

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Summarizes where the time of a pass went.
    package init(
      instance: String? = nil, pass: Int, phase: Phase, outcome: InitializerStatus, started: Double, held: Double,
      duration: Double, cores: Double? = nil, runs: Int? = nil, failedBy: String? = nil,
      initializers: [Pass.InitializerTimes]
    ) {
      self.instance = instance
      self.pass = pass
      self.phase = .known(phase)
      self.outcome = .known(outcome)
      self.started = started
      self.held = held
      self.duration = duration
      self.cores = cores
      self.runs = runs
      self.failedBy = failedBy
      self.initializers = initializers
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.optional("instance", &instance)
      try json.required("pass", &pass)
      try json.required("phase", &phase)
      try json.required("outcome", &outcome)
      try json.optional("interrupted", &interrupted)
      try json.required("started", &started)
      try json.required("held", &held)
      try json.required("duration", &duration)
      try json.optional("cores", &cores)
      try json.optional("runs", &runs)
      try json.optional("failedBy", &failedBy)
      try json.required("initializers", &initializers)
    }
  }
}

extension Pass {
  /// Where the time of an initializer went, in one pass.
  ///
  /// All durations are in seconds.
  public struct InitializerTimes: Sendable, Shape {
    /// The name.
    public var name = ""
    /// The outcome of the initializer, or its status.
    public var outcome: Word<InitializerStatus> = .unknown("")
    /// How many attempts the initializer had.
    public var attempts = 0
    /// The time from the opening of the pass until the initializer's last dependency completed.
    public var waited: Double = 0
    /// The time from the completion of the dependencies to the start of the first attempt.
    public var queued: Double = 0
    /// The sum of the durations of all attempts.
    public var running: Double = 0
    /// The CPU time of all attempts; nil if it is unknown.
    public var cpu: Double?
    /// The sum of all pauses between the attempts.
    public var backoff: Double = 0
    /// The time from the opening of the pass to the initializer's own end.
    public var finished: Double = 0

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Summarizes where the time of an initializer went.
    package init(
      name: String, outcome: InitializerStatus, attempts: Int, waited: Double, queued: Double, running: Double,
      cpu: Double? = nil, backoff: Double, finished: Double
    ) {
      self.name = name
      self.outcome = .known(outcome)
      self.attempts = attempts
      self.waited = waited
      self.queued = queued
      self.running = running
      self.cpu = cpu
      self.backoff = backoff
      self.finished = finished
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.required("outcome", &outcome)
      try json.required("attempts", &attempts)
      try json.required("waited", &waited)
      try json.required("queued", &queued)
      try json.required("running", &running)
      try json.optional("cpu", &cpu)
      try json.required("backoff", &backoff)
      try json.required("finished", &finished)
    }
  }
}
