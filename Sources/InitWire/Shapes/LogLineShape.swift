package import InitJSON

/// An output line of a command (protocol §4, `logs`; §5, topic `log`).
package struct LogLineShape: Sendable, Shape {
  /// The time at which the line was written, in seconds since the Unix epoch.
  package var time: Double = 0
  /// The command's initializer.
  package var initializer = ""
  /// The run's number.
  package var run = 0
  /// The number of the attempt in the pass, from 1 (S16); nil for a kept process.
  package var attempt: Int?
  /// The pass's number; nil for a stop command, and for a kept process that isn't starting.
  package var pass: Int?
  /// The earlier supervisor that executed the run; nil for the supervisor that answers.
  package var instance: String?
  /// Standard output or standard error.
  package var stream: Word<OutputName> = .unknown("")
  /// The line without its newline.
  ///
  /// To show it to people, use `TerminalText.output(_:)`.
  package var line = ""

  /// Creates an empty value, to be filled by reading.
  package init() {}

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

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
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
