public import InitModel
internal import InitTimeline
internal import InitWords

extension Pass {
  /// Returns where the time of the pass and of each of its initializers went.
  ///
  /// In a pass in flight, unfinished times count up to the moment of `status`; without it, up to the start of the pass.
  public func times(at status: Status? = nil) -> Pass.Times { Pass.Times(timeline(at: status)) }

  /// Returns what explains the duration of the pass, from its opening to the initializer that ended last, in the order of time.
  ///
  /// The shares of the steps add up to the time from the opening to the end. `status` is as for ``times(at:)``.
  public func criticalPath(at status: Status? = nil) -> [CriticalStep] {
    CriticalPath(timeline(at: status)).steps.map(CriticalStep.init)
  }

  private func timeline(at status: Status?) -> Timeline {
    status.map { Timeline(self, status: $0) } ?? Timeline(self, now: started)
  }
}

/// One initializer of a pass's critical path, and its share of the time.
public struct CriticalStep: Sendable, Hashable {
  /// The kind of the initializer's last wait.
  public enum Link: String, Sendable, Hashable, CaseIterable {
    /// The last dependency completed.
    case dependency
    /// A run ended, and this one could start in its place (S6).
    case place
    /// The worker registered the initializer (S20).
    case worker
    /// The pass opened.
    case opening
  }

  /// The name.
  public let name: String
  /// The kind of the initializer's last wait.
  public let link: Link
  /// The initializer whose end, or whose worker's registration, that was; `nil` at the opening.
  public let from: String?
  /// The time until its first run started, in seconds.
  public let queued: Double
  /// The sum of the durations of all runs, in seconds.
  public let running: Double
  /// The sum of all pauses between the runs, in seconds.
  public let backoff: Double

  /// The initializer's share of the pass's time, in seconds.
  public var share: Double { queued + running + backoff }

  init(_ step: CriticalPath.Step) {
    name = step.name
    link =
      switch step.link {
      case .dependency: .dependency
      case .place: .place
      case .worker: .worker
      case .launch, .opening: .opening
      }
    from = step.from
    queued = step.queued
    running = step.running
    backoff = step.backoff
  }
}
