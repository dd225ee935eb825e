/// A pass as it went (protocol §4, `history`). What has no value yet is nil, and left out.
public struct PassShape: Codable, Sendable, Equatable {
  /// Its number.
  public var pass: Int
  /// Which phase it executed.
  public var phase: Word<PhaseName>
  /// When it started, in seconds since the Unix epoch.
  public var started: Double
  /// How long it took, in seconds.
  public var duration: Double?
  /// How it ended.
  public var outcome: Word<OutcomeName>?
  /// Its runs, in the order in which they ended.
  public var runs: [RunShape]

  /// A pass and its runs.
  public init(
    pass: Int, phase: PhaseName, started: Double, duration: Double?, outcome: OutcomeName?, runs: [RunShape]
  ) {
    self.pass = pass
    self.phase = .known(phase)
    self.started = started
    self.duration = duration
    self.outcome = outcome.map { .known($0) }
    self.runs = runs
  }
}

/// A run as it went (protocol §4, `history`). What has no value yet is nil, and left out.
public struct RunShape: Codable, Sendable, Equatable {
  /// Its number.
  public var run: Int
  /// The initializer that it executed.
  public var initializer: String
  /// Which attempt of its pass it was, from 1 (S16).
  public var attempt: Int
  /// When its dependencies had completed, in seconds since the Unix epoch.
  public var ready: Double
  /// When it started, in seconds since the Unix epoch.
  public var started: Double
  /// How long it took, in seconds.
  public var duration: Double?
  /// How it ended.
  public var outcome: Word<OutcomeName>?
  /// The dependencies that it waited for.
  public var waitedFor: [String]

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
