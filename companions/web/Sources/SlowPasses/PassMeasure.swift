/// The durations of a complete pass and its initializers.
///
/// All durations are seconds.
public struct PassMeasure: Sendable, Equatable {
  /// The duration of an initializer.
  public struct Part: Sendable, Equatable {
    /// The initializer.
    public var initializer: String
    /// The sum of the durations of all attempts.
    public var running: Double
    /// The time from the completion of the dependencies to the first attempt.
    public var queued: Double
    /// The sum of all pauses between the attempts.
    public var backoff: Double
    /// Whether the initializer is on the critical path: the pass would have been shorter without it.
    public var isOnCriticalPath: Bool

    /// Describes an initializer.
    public init(
      initializer: String, running: Double, queued: Double = 0, backoff: Double = 0, isOnCriticalPath: Bool = false
    ) {
      self.initializer = initializer
      self.running = running
      self.queued = queued
      self.backoff = backoff
      self.isOnCriticalPath = isOnCriticalPath
    }
  }

  /// The time from the opening of the pass to its end.
  public var duration: Double
  /// The initializers that ran.
  public var parts: [Part]

  /// Describes a pass.
  public init(duration: Double, parts: [Part] = []) {
    self.duration = duration
    self.parts = parts
  }
}
