/// Everything that the page of a supervisor shows, of one moment.
public struct Overview: Sendable, Equatable {
  /// An attempt that has failed, before the last one.
  public struct Attempt: Sendable, Equatable {
    /// The number of the run.
    public var run: Int
    /// The start, in seconds since the Unix epoch.
    public var started: Double
    /// The duration, in seconds.
    public var duration: Double

    /// Describes an attempt.
    public init(run: Int, started: Double, duration: Double) {
      self.run = run
      self.started = started
      self.duration = duration
    }
  }

  /// The status.
  public var document: StatusDocument
  /// Why the app isn't ready; if it is, the kept processes that don't run.
  public var why: Explained
  /// What `initctl status` shows beside an initializer, by its name.
  public var details: [String: String]
  /// The last lines of what failed, by the name of the initializer or process.
  public var failedOutput: [String: [String]]
  /// The failed attempts of the passes in flight, by the initializer's name.
  public var attempts: [String: [Attempt]]

  /// Describes a supervisor that answers.
  public init(
    document: StatusDocument, why: Explained, details: [String: String] = [:], failedOutput: [String: [String]] = [:],
    attempts: [String: [Attempt]] = [:]
  ) {
    self.document = document
    self.why = why
    self.details = details
    self.failedOutput = failedOutput
    self.attempts = attempts
  }
}
