/// A pass (protocol §4, `history`). A member without a value is nil, and left out.
public struct PassShape: Sendable, Equatable {
  /// Its number.
  public var pass = 0
  /// The phase that it executed.
  public var phase: Word<Phase> = .unknown("")
  /// When it started, in seconds since the Unix epoch.
  public var started: Double = 0
  /// How long it took, in seconds.
  public var duration: Double?
  /// How it ended.
  public var outcome: Word<OutcomeName>?
  /// Its runs, in the order in which they started.
  public var runs: [RunShape] = []

  /// An empty value, to be filled by reading.
  package init() {}

  /// A pass and its runs.
  public init(
    pass: Int, phase: Phase, started: Double, duration: Double?, outcome: OutcomeName?, runs: [RunShape]
  ) {
    self.pass = pass
    self.phase = .known(phase)
    self.started = started
    self.duration = duration
    self.outcome = outcome.map { .known($0) }
    self.runs = runs
  }
}

/// A run (protocol §4, `history`). A member without a value is nil, and left out.
public struct RunShape: Sendable, Equatable {
  /// Its number.
  public var run = 0
  /// The initializer that it executed.
  public var initializer = ""
  /// The attempt's number in its pass, from 1 (S16).
  public var attempt = 0
  /// When its dependencies had completed, in seconds since the Unix epoch.
  public var ready: Double = 0
  /// When it started, in seconds since the Unix epoch.
  public var started: Double = 0
  /// How long it took, in seconds.
  public var duration: Double?
  /// How it ended.
  public var outcome: Word<OutcomeName>?
  /// The names of the initializers that it waited for.
  public var waitedFor: [String] = []

  /// An empty value, to be filled by reading.
  package init() {}

  /// A run of an initializer.
  public init(
    run: Int, initializer: String, attempt: Int, ready: Double, started: Double, duration: Double?,
    outcome: OutcomeName?, waitedFor: [String]
  ) {
    self.run = run
    self.initializer = initializer
    self.attempt = attempt
    self.ready = ready
    self.started = started
    self.duration = duration
    self.outcome = outcome.map { .known($0) }
    self.waitedFor = waitedFor
  }
}

extension PassShape: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("phase", &phase)
    try json.required("started", &started)
    try json.optional("duration", &duration)
    try json.optional("outcome", &outcome)
    try json.required("runs", &runs)
  }
}

extension RunShape: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("run", &run)
    try json.required("initializer", &initializer)
    try json.required("attempt", &attempt)
    try json.required("ready", &ready)
    try json.required("started", &started)
    try json.optional("duration", &duration)
    try json.optional("outcome", &outcome)
    try json.required("waitedFor", &waitedFor)
  }
}
