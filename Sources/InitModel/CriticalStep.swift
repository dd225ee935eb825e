public import InitWords

/// One initializer of a pass's critical path, and its share of the pass's duration.
///
/// A step's share begins when the step before it ends, so all shares add up to the duration. For a late worker the share includes the wait
/// for the worker, as queued. All times are in seconds.
public struct CriticalStep: Sendable, Hashable {
  /// The kind of an initializer's last wait.
  public enum Link: String, Sendable, Hashable, CaseIterable {
    /// The last dependency completed.
    case dependency
    /// A run ended and freed the place for this one (S6).
    case place
    /// The worker registered the initializer (S20).
    case worker
    /// Launch was complete (S4); only if launch and the active pass are shown together.
    case launch
    /// The pass opened.
    case opening
  }

  /// The initializer.
  public let name: String
  /// The phase of its pass, if launch and the active pass are shown together.
  public let phase: Phase?
  /// The kind of the initializer's last wait.
  public let link: Link
  /// The initializer whose end, or whose worker's registration, it waited for; nil at the opening.
  public let from: String?
  /// The time until the first attempt started.
  public let queued: Double
  /// The sum of the durations of all attempts.
  public let running: Double
  /// The sum of all pauses between the attempts.
  public let backoff: Double

  /// The share of the pass's duration.
  public var share: Double { queued + running + backoff }

  /// Describes a step.
  package init(
    name: String, phase: Phase?, link: Link, from: String?, queued: Double, running: Double, backoff: Double
  ) {
    self.name = name
    self.phase = phase
    self.link = link
    self.from = from
    self.queued = queued
    self.running = running
    self.backoff = backoff
  }
}
