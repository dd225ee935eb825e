/// Where the time of an initializer went, in one pass.
///
/// All durations are seconds.
public struct PassedInitializer: Sendable, Equatable, Codable {
  /// The name.
  public var name: String
  /// The outcome of the initializer in the protocol's words, such as `complete` or `notRun`.
  public var outcome: String
  /// How many attempts the initializer had.
  public var attempts: Int
  /// The time from the opening of the pass until the initializer's last dependency completed.
  public var waited: Double
  /// The time from then to the initializer's first attempt.
  public var queued: Double
  /// The sum of the durations of all attempts.
  public var running: Double
  /// The sum of all pauses between the attempts.
  public var backoff: Double
  /// The CPU time of all attempts, if it is known.
  public var cpu: Double?

  /// Describes an initializer.
  public init(
    name: String, outcome: String, attempts: Int = 1, waited: Double = 0, queued: Double = 0, running: Double = 0,
    backoff: Double = 0, cpu: Double? = nil
  ) {
    self.name = name
    self.outcome = outcome
    self.attempts = attempts
    self.waited = waited
    self.queued = queued
    self.running = running
    self.backoff = backoff
    self.cpu = cpu
  }
}

/// A step of a pass's critical path.
///
/// All durations are seconds.
public struct PathStep: Sendable, Equatable, Codable {
  /// The initializer.
  public var name: String
  /// What the initializer waited for last, in the protocol's words: `dependency`, `place`, `worker` or `opening`.
  public var link: String
  /// The initializer whose end, or whose worker's registration, it waited for.
  public var from: String?
  /// The time from then to the initializer's first attempt.
  public var queued: Double
  /// The sum of the durations of all attempts.
  public var running: Double
  /// The sum of all pauses between the attempts.
  public var backoff: Double

  /// Describes a step.
  public init(
    name: String, link: String, from: String? = nil, queued: Double = 0, running: Double = 0, backoff: Double = 0
  ) {
    self.name = name
    self.link = link
    self.from = from
    self.queued = queued
    self.running = running
    self.backoff = backoff
  }
}
