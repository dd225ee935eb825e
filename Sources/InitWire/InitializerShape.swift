/// One initializer as it is at one moment (protocol §3). What has no value yet is nil, and left out.
public struct InitializerShape: Codable, Sendable, Equatable {
  /// Its name.
  public var name: String
  /// The phase it belongs to.
  public var priority: Word<PriorityName>
  /// The names of what must have completed before it starts, as declared.
  public var dependencies: [String]
  /// Its provider.
  public var provider: Word<ProviderName>
  /// Whether its provider can run it now.
  public var available: Bool
  /// What it is doing.
  public var status: Word<InitializerStatusName>
  /// The initializer that it waits for, or that prevented it.
  public var blockedBy: String?
  /// The number of its last run.
  public var run: Int?
  /// Which attempt of its pass that run is, from 1 (S16).
  public var attempt: Int?
  /// The pass of that run.
  public var pass: Int?
  /// The phase of that pass.
  public var phase: Word<PhaseName>?
  /// When that run started, in seconds since the Unix epoch.
  public var started: Double?
  /// How long that run took, in seconds.
  public var duration: Double?
  /// The last report of that run (S17).
  public var progress: ProgressShape?
  /// Why it failed or wasn't run.
  public var error: ErrorShape?

  /// An initializer at one moment.
  public init(
    name: String, priority: PriorityName, dependencies: [String], provider: ProviderName, available: Bool,
    status: InitializerStatusName, blockedBy: String? = nil, run: Int? = nil, attempt: Int? = nil, pass: Int? = nil,
    phase: PhaseName? = nil, started: Double? = nil, duration: Double? = nil, progress: ProgressShape? = nil,
    error: ErrorShape? = nil
  ) {
    self.name = name
    self.priority = .known(priority)
    self.dependencies = dependencies
    self.provider = .known(provider)
    self.available = available
    self.status = .known(status)
    self.blockedBy = blockedBy
    self.run = run
    self.attempt = attempt
    self.pass = pass
    self.phase = phase.map { .known($0) }
    self.started = started
    self.duration = duration
    self.progress = progress
    self.error = error
  }
}

/// The progress of a run (S17).
public struct ProgressShape: Codable, Sendable, Equatable {
  /// How much of it is done, 0…1.
  public var fraction: Double?
  /// What it is doing, for people.
  public var message: String?

  /// A report of a fraction, a message, or both.
  public init(fraction: Double? = nil, message: String? = nil) {
    self.fraction = fraction
    self.message = message
  }
}
