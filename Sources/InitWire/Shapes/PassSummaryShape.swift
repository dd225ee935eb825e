/// Where the time of a pass went, for each of its initializers (protocol §4, `history`). A member without a value is nil, and left out.
public struct PassSummaryShape: Sendable, Shape {
  /// The instance of the supervisor that executed it; nil for the one that answers.
  public var instance: String?
  /// Its number.
  public var pass = 0
  /// The phase that it executed.
  public var phase: Word<Phase> = .unknown("")
  /// How it ended: complete, failed or cancelled; or running.
  public var outcome: Word<InitializerStatus> = .unknown("")
  /// Whether the supervisor ended during it, e.g. because it was killed: then its outcome is cancelled; left out if not.
  public var interrupted: Bool?
  /// When it started, in seconds since the Unix epoch.
  public var started: Double = 0
  /// How long it waited before it could begin its runs, in seconds.
  public var held: Double = 0
  /// How long it took from its opening to its end, in seconds.
  public var duration: Double = 0
  /// Its initializers.
  public var initializers: [InitializerSummaryShape] = []

  package init() {}

  /// Where the time of a pass went.
  public init(
    instance: String? = nil, pass: Int, phase: Phase, outcome: InitializerStatus, started: Double, held: Double,
    duration: Double, initializers: [InitializerSummaryShape]
  ) {
    self.instance = instance
    self.pass = pass
    self.phase = .known(phase)
    self.outcome = .known(outcome)
    self.started = started
    self.held = held
    self.duration = duration
    self.initializers = initializers
  }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.optional("instance", &instance)
    try json.required("pass", &pass)
    try json.required("phase", &phase)
    try json.required("outcome", &outcome)
    try json.optional("interrupted", &interrupted)
    try json.required("started", &started)
    try json.required("held", &held)
    try json.required("duration", &duration)
    try json.required("initializers", &initializers)
  }
}

/// Where the time of an initializer went, in one pass. All durations are in seconds.
public struct InitializerSummaryShape: Sendable, Shape {
  /// Its name.
  public var name = ""
  /// How it ended, or its status.
  public var outcome: Word<InitializerStatus> = .unknown("")
  /// How many attempts it had.
  public var attempts = 0
  /// From the opening of the pass to the moment at which its last dependency completed.
  public var waited: Double = 0
  /// From then to the start of its first attempt.
  public var queued: Double = 0
  /// All its attempts together.
  public var running: Double = 0
  /// All pauses between its attempts together.
  public var backoff: Double = 0
  /// From the opening of the pass to its own end.
  public var finished: Double = 0

  package init() {}

  /// Where the time of an initializer went.
  public init(
    name: String, outcome: InitializerStatus, attempts: Int, waited: Double, queued: Double, running: Double,
    backoff: Double, finished: Double
  ) {
    self.name = name
    self.outcome = .known(outcome)
    self.attempts = attempts
    self.waited = waited
    self.queued = queued
    self.running = running
    self.backoff = backoff
    self.finished = finished
  }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("outcome", &outcome)
    try json.required("attempts", &attempts)
    try json.required("waited", &waited)
    try json.required("queued", &queued)
    try json.required("running", &running)
    try json.required("backoff", &backoff)
    try json.required("finished", &finished)
  }
}
