public import InitJSON
public import InitWords

/// The usual durations of a phase and its initializers: medians of the complete passes that are kept (protocol §4, `history`).
public struct Usual: Sendable, Shape {
  /// The phase.
  public var phase: Word<Phase> = .unknown("")
  /// The number of these passes.
  public var passes = 0
  /// The time from the opening to the end, in seconds.
  public var duration: Double = 0
  /// The initializers, by their names.
  public var initializers: [Usual.Initializer] = []

  /// Creates an empty value, to be filled by reading.
  public init() {}

  /// Describes how long a phase usually takes.
  package init(phase: Phase, passes: Int, duration: Double, initializers: [Usual.Initializer]) {
    self.phase = .known(phase)
    self.passes = passes
    self.duration = duration
    self.initializers = initializers
  }

  /// Visits the members, in the order in which they are written.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("phase", &phase)
    try json.required("passes", &passes)
    try json.required("duration", &duration)
    try json.required("initializers", &initializers)
  }
}

extension Usual {
  /// The usual duration of an initializer's runs: the median of its complete passes, in seconds.
  public struct Initializer: Sendable, Shape {
    /// The name.
    public var name = ""
    /// The sum of the durations of all attempts in one pass, in seconds.
    public var running: Double = 0
    /// The sum of the CPU time of all attempts in one pass, in seconds; nil if it is unknown.
    public var cpu: Double?

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes how long an initializer usually runs.
    package init(name: String, running: Double, cpu: Double? = nil) {
      self.name = name
      self.running = running
      self.cpu = cpu
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.required("running", &running)
      try json.optional("cpu", &cpu)
    }
  }
}
