/// A line that a command wrote (protocol §4, `logs`; §5, topic `log`).
public struct LogLineShape: Codable, Sendable, Equatable {
  /// When, in seconds since the Unix epoch.
  public var time: Double
  /// Whose command.
  public var initializer: String
  /// In which run.
  public var run: Int
  /// To which output.
  public var stream: Word<OutputName>
  /// The line, without its end. For a terminal or a log it goes through `TerminalText.escape(_:)`.
  public var line: String

  /// A line of a run's output.
  public init(time: Double, initializer: String, run: Int, stream: OutputName, line: String) {
    self.time = time
    self.initializer = initializer
    self.run = run
    self.stream = .known(stream)
    self.line = line
  }
}
