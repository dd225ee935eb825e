package import InitJSON
package import InitWords

/// Where the time of a pass and of each of its initializers went (protocol §4, `history`).
///
/// A member without a value is nil, and left out.
package struct PassSummaryShape: Sendable, Shape {
  /// The instance of the supervisor that executed the pass; nil for the supervisor that answers.
  package var instance: String?
  /// The number.
  package var pass = 0
  /// The phase of the pass.
  package var phase: Word<Phase> = .unknown("")
  /// The outcome of the pass: complete, failed or cancelled; or running.
  package var outcome: Word<InitializerStatus> = .unknown("")
  /// Whether the supervisor ended during it, for example because it was killed: then its outcome is cancelled; left out if not.
  package var interrupted: Bool?
  /// The time at which the pass started, in seconds since the Unix epoch.
  package var started: Double = 0
  /// How long the pass waited before it could begin its runs, in seconds.
  package var held: Double = 0
  /// The duration of the pass from its opening to its end, in seconds.
  package var duration: Double = 0
  /// How many cores the pass's runs could use, at its opening; nil if that isn't known.
  package var cores: Double?
  /// The number of runs; nil in a summary of a supervisor that didn't report it.
  package var runs: Int?
  /// The initializer whose failure failed the pass; nil if the pass hasn't failed.
  package var failedBy: String?
  /// The initializers.
  package var initializers: [InitializerSummaryShape] = []

  package init() {}

  /// Summarizes where the time of a pass went.
  package init(
    instance: String? = nil, pass: Int, phase: Phase, outcome: InitializerStatus, started: Double, held: Double,
    duration: Double, cores: Double? = nil, runs: Int? = nil, failedBy: String? = nil,
    initializers: [InitializerSummaryShape]
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

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
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

/// Where the time of an initializer went, in one pass.
///
/// All durations are in seconds.
package struct InitializerSummaryShape: Sendable, Shape {
  /// The name.
  package var name = ""
  /// The outcome of the initializer, or its status.
  package var outcome: Word<InitializerStatus> = .unknown("")
  /// How many attempts the initializer had.
  package var attempts = 0
  /// The time from the opening of the pass until the initializer's last dependency completed.
  package var waited: Double = 0
  /// The time from the completion of the dependencies to the start of the first attempt.
  package var queued: Double = 0
  /// The sum of the durations of all attempts.
  package var running: Double = 0
  /// The CPU time of all attempts; nil if it is unknown.
  package var cpu: Double?
  /// The sum of all pauses between the attempts.
  package var backoff: Double = 0
  /// The time from the opening of the pass to the initializer's own end.
  package var finished: Double = 0

  package init() {}

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

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
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
