/// A line that a command wrote (protocol §4, `logs`; §5, topic `log`).
public struct LogLineShape: Sendable, Equatable {
  /// When, in seconds since the Unix epoch.
  public var time: Double = 0
  /// Whose command.
  public var initializer = ""
  /// In which run.
  public var run = 0
  /// To which output.
  public var stream: Word<OutputName> = .unknown("")
  /// The line, without its end. For a terminal or a log it goes through `TerminalText.escape(_:)`.
  public var line = ""

  /// An empty value, to be filled by reading.
  package init() {}

  /// A line of a run's output.
  public init(time: Double, initializer: String, run: Int, stream: OutputName, line: String) {
    self.time = time
    self.initializer = initializer
    self.run = run
    self.stream = .known(stream)
    self.line = line
  }
}

extension LogLineShape: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("time", &time)
    try json.required("initializer", &initializer)
    try json.required("run", &run)
    try json.required("stream", &stream)
    try json.required("line", &line)
  }
}
