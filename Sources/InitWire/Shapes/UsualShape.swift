package import InitJSON
package import InitWords

/// The usual durations of a phase and its initializers: medians of the complete passes that are kept (protocol §4, `history`).
package struct UsualShape: Sendable, Shape {
  /// The phase.
  package var phase: Word<Phase> = .unknown("")
  /// The number of these passes.
  package var passes = 0
  /// The time from the opening to the end, in seconds.
  package var duration: Double = 0
  /// The initializers, by their names.
  package var initializers: [UsualInitializerShape] = []

  package init() {}

  /// Describes how long a phase usually takes.
  package init(phase: Phase, passes: Int, duration: Double, initializers: [UsualInitializerShape]) {
    self.phase = .known(phase)
    self.passes = passes
    self.duration = duration
    self.initializers = initializers
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("phase", &phase)
    try json.required("passes", &passes)
    try json.required("duration", &duration)
    try json.required("initializers", &initializers)
  }
}

/// The usual duration of an initializer's runs: the median of its complete passes, in seconds.
package struct UsualInitializerShape: Sendable, Shape {
  /// The name.
  package var name = ""
  /// The sum of the durations of all attempts in one pass, in seconds.
  package var running: Double = 0
  /// The sum of the CPU time of all attempts in one pass, in seconds; nil if it is unknown.
  package var cpu: Double?

  package init() {}

  /// Describes how long an initializer usually runs.
  package init(name: String, running: Double, cpu: Double? = nil) {
    self.name = name
    self.running = running
    self.cpu = cpu
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("running", &running)
    try json.optional("cpu", &cpu)
  }
}
