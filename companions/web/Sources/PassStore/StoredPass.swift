public import Passes

/// A pass of the history, without its runs.
///
/// All times are seconds since the Unix epoch, and all durations are seconds.
public struct PassEntry: Sendable, Equatable, Codable {
  /// The number of the pass in this history.
  ///
  /// The number rises from pass to pass, also when another supervisor follows.
  public let id: Int
  /// Identifies the execution of a supervisor that executed it.
  public let instance: String
  /// The number, unique in one execution of a supervisor.
  public let number: Int
  /// The phase of the pass.
  public let phase: Phase
  /// The outcome of the pass.
  public let outcome: Outcome
  /// The time at which the pass started.
  public let started: Double
  /// The time from the start of the pass to its opening.
  public let held: Double
  /// The time from the opening of the pass to its end.
  public let duration: Double
  /// The initializer whose failure failed the pass.
  public let failedBy: String?
  /// Why the pass failed.
  public let error: String?
  /// How many runs could be in flight at once.
  public let concurrency: Int?
  /// The trace context of the supervisor's environment, if the pass belongs to its trace.
  public let traceparent: String?
  /// The names on the critical path of the pass, in the order of time.
  public let criticalPath: [String]
  /// The initializer that ran longest, and how long.
  public let longest: Longest?

  /// The initializer that ran longest.
  public struct Longest: Sendable, Equatable, Codable {
    /// Its name.
    public let name: String
    /// The sum of the durations of all attempts.
    public let running: Double
  }

  private enum CodingKeys: String, CodingKey {
    case id, instance
    case number = "pass"
    case phase, outcome, started, held, duration, failedBy, error, concurrency, traceparent, criticalPath, longest
  }
}

/// A pass of the history, with everything that is stored about it.
public struct StoredPass: Sendable, Equatable, Codable {
  /// The pass.
  public let pass: PassEntry
  /// Where the time of each initializer went, by name.
  public let initializers: [PassedInitializer]
  /// The critical path, in the order of time.
  public let path: [PathStep]
  /// The runs, by number; each attempt is one.
  public let runs: [StoredRun]

  private enum Keys: String, CodingKey {
    case initializers, path, runs
  }

  init(pass: PassEntry, initializers: [PassedInitializer], path: [PathStep], runs: [StoredRun]) {
    self.pass = pass
    self.initializers = initializers
    self.path = path
    self.runs = runs
  }

  /// Reads the output of `encode`.
  public init(from decoder: any Decoder) throws {
    pass = try PassEntry(from: decoder)
    let container = try decoder.container(keyedBy: Keys.self)
    initializers = try container.decode([PassedInitializer].self, forKey: .initializers)
    path = try container.decode([PathStep].self, forKey: .path)
    runs = try container.decode([StoredRun].self, forKey: .runs)
  }

  /// Writes one object: the members of the pass, then the members of the detail.
  public func encode(to encoder: any Encoder) throws {
    try pass.encode(to: encoder)
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(initializers, forKey: .initializers)
    try container.encode(path, forKey: .path)
    try container.encode(runs, forKey: .runs)
  }
}

/// A run of the history: an attempt of an initializer.
public struct StoredRun: Sendable, Equatable, Codable {
  /// The number, unique in one execution of a supervisor.
  public let number: Int
  /// The initializer.
  public let initializer: String
  /// The number of the attempt in the pass, from 1.
  public let attempt: Int
  /// The outcome of the initializer.
  public let outcome: Outcome
  /// When the initializer's dependencies had completed.
  public let ready: Double
  /// The time at which the initializer started.
  public let started: Double
  /// The duration of the initializer.
  public let duration: Double
  /// The CPU time of the run, if it is known.
  public let cpu: Double?
  /// Why the initializer failed.
  public let error: String?
  /// The initializers that the run waited for.
  public let waitedFor: [String]
  /// The last lines that the run wrote, if it failed and they are known.
  public let output: [String]?

  private enum CodingKeys: String, CodingKey {
    case number = "run"
    case initializer, attempt, outcome, ready, started, duration, cpu, error, waitedFor, output
  }
}

/// An initializer in one pass of the history.
public struct TrendPoint: Sendable, Equatable, Codable {
  /// The pass's number in this history.
  public let id: Int
  /// The supervisor.
  public let instance: String
  /// The pass's number.
  public let number: Int
  /// The pass's phase.
  public let phase: Phase
  /// When the pass started.
  public let started: Double
  /// The duration of the pass, from its opening to its end.
  public let passDuration: Double
  /// The outcome of the pass.
  public let passOutcome: Outcome
  /// The initializer's own part.
  public let initializer: PassedInitializer
  /// Whether the initializer was on the critical path.
  public let isOnCriticalPath: Bool

  private enum CodingKeys: String, CodingKey {
    case id, instance
    case number = "pass"
    case phase, started, passDuration, passOutcome, initializer
    case isOnCriticalPath = "onCriticalPath"
  }
}

/// An initializer that the history knows.
public struct KnownInitializer: Sendable, Equatable, Codable {
  /// The name.
  public let name: String
  /// The newest pass that contains the initializer: its number in this history.
  public let last: Int
}
