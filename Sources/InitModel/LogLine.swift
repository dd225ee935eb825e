public import InitJSON

/// An output line of a command (protocol §4, `logs`; §5, topic `log`).
public struct LogLine: Sendable, Shape {
  /// The time at which the line was written, in seconds since the Unix epoch.
  public var time: Double = 0
  /// The command's initializer.
  public var initializer = ""
  /// The run's number.
  public var run = 0
  /// The number of the attempt in the pass, from 1 (S16); nil for a kept process.
  public var attempt: Int?
  /// The pass's number; nil for a stop command, and for a kept process that isn't starting.
  public var pass: Int?
  /// The earlier supervisor that executed the run; nil for the supervisor that answers.
  public var instance: String?
  /// Standard output or standard error.
  public var stream: Word<OutputName> = .unknown("")
  /// The line without its newline.
  ///
  /// To show it to people, use `TerminalText.output(_:)`.
  public var line = ""

  /// Creates an empty value, to be filled by reading.
  public init() {}

  /// Describes an output line of a run.
  package init(
    time: Double, initializer: String, run: Int, attempt: Int? = nil, pass: Int? = nil, instance: String? = nil,
    stream: OutputName, line: String
  ) {
    self.time = time
    self.initializer = initializer
    self.run = run
    self.attempt = attempt
    self.pass = pass
    self.instance = instance
    self.stream = .known(stream)
    self.line = line
  }

  /// Visits the members, in the order in which they are written.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("time", &time)
    try json.required("initializer", &initializer)
    try json.required("run", &run)
    try json.optional("attempt", &attempt)
    try json.optional("pass", &pass)
    try json.optional("instance", &instance)
    try json.required("stream", &stream)
    try json.required("line", &line)
  }
}
