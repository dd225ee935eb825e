package import InitModel
package import InitWords

/// The course of an initializer in one pass: its attempts, and where the time went.
///
/// All times are seconds since the Unix epoch.
package struct InitializerTimeline: Sendable, Equatable {
  package let name: String
  /// The phase of the pass, if launch and the active pass are shown together: it may have run in both.
  package let phase: Phase?
  /// The runs, in the order in which they started; none if the initializer still waits.
  ///
  /// A run that was cancelled while its pass continued is included.
  package let runs: [Pass.Run]
  /// When the pass could begin.
  package let opened: Double
  /// The time up to which an unfinished part counts.
  package let now: Double
  /// When its last dependency in this pass had completed, or the pass could begin; `now` if it still waits for a dependency.
  package let ready: Double
  /// Whether the last attempt has failed, and the next attempt hasn't started.
  package let isRetrying: Bool
  /// Whether the initializer failed the pass without a start.
  private let hasFailed: Bool

  /// Describes the course of the initializer of some runs.
  ///
  /// - Parameters:
  ///   - runs: all runs of the initializer in one pass, in the order of their starts; at least one.
  ///   - phase: the phase of the pass, if passes of both are shown together.
  ///   - opened: when the pass could begin.
  ///   - now: the time until which an unfinished part counts.
  ///   - isRetrying: whether the next attempt hasn't started yet.
  package init(
    _ runs: [Pass.Run], phase: Phase? = nil, opened: Double, now: Double, isRetrying: Bool = false
  ) {
    self.name = runs.first?.initializer ?? ""
    self.phase = phase
    self.runs = runs
    self.opened = opened
    self.now = now
    self.ready = max(runs.first?.ready ?? opened, opened)
    self.isRetrying = isRetrying
    hasFailed = false
  }

  /// Describes an initializer that hasn't started.
  ///
  /// `phase` is the phase of the pass, if passes of both are shown together. `opened` says when the pass could begin. `ready` is the time
  /// at which its dependencies had completed; `nil` if it still waits for one. `now` is the time up to which it has waited. `hasFailed` is
  /// true if it failed then.
  package init(
    waiting name: String, phase: Phase? = nil, opened: Double, ready: Double?, now: Double, hasFailed: Bool = false
  ) {
    self.name = name
    self.phase = phase
    self.runs = []
    self.opened = opened
    self.now = now
    self.ready = min(max(ready ?? now, opened), now)
    self.isRetrying = false
    self.hasFailed = hasFailed
  }

  /// When the first attempt started, or `now`.
  package var started: Double { runs.first?.started ?? now }
  /// When the last run ended, or `now`.
  package var ended: Double { isRetrying ? now : runs.last.map(end) ?? now }

  /// The time from the opening of the pass until the last dependency completed.
  package var waited: Double { ready - opened }
  /// The time from the completion of the dependencies to the start of the first attempt.
  package var queued: Double { max(0, started - ready) }
  /// The sum of the durations of all attempts.
  package var running: Double { runs.reduce(0) { $0 + (end(of: $1) - $1.started) } }
  /// The CPU time of all attempts that have ended; nil if it is unknown for all of them.
  package var cpu: Double? {
    let known = runs.compactMap(\.cpu)
    return known.isEmpty ? nil : known.reduce(0, +)
  }
  /// The sum of all pauses between the attempts.
  package var backoff: Double {
    let last = isRetrying ? runs.last.map { max(0, now - end(of: $0)) } ?? 0 : 0
    return zip(runs, runs.dropFirst()).reduce(last) { $0 + max(0, $1.1.started - end(of: $1.0)) }
  }
  /// The time from the opening of the pass to the initializer's own end.
  package var finished: Double { waited + queued + running + backoff }

  /// The outcome of the initializer, or that it waits or runs.
  package var outcome: InitializerStatus {
    guard let last = runs.last, !isRetrying else { return hasFailed ? .failed : .waiting }
    return switch last.outcome?.known {
    case .complete: .complete
    case .failed: .failed
    case .cancelled: .cancelled
    case nil: .running
    }
  }

  /// Returns when a run ended, or `now`.
  package func end(of run: Pass.Run) -> Double { run.duration.map { run.started + $0 } ?? max(now, run.started) }
}

extension Pass.Run {
  /// Whether the run failed, and its initializer has another attempt.
  package var leavesAttempts: Bool { outcome?.known == .failed && attempt < attempts ?? 1 }
}

extension Pass.InitializerTimes {
  /// Summarizes where the time of an initializer went.
  package init(_ timeline: InitializerTimeline) {
    self.init(
      name: timeline.name, outcome: timeline.outcome, attempts: timeline.runs.count, waited: timeline.waited,
      queued: timeline.queued,
      running: timeline.running, cpu: timeline.cpu, backoff: timeline.backoff, finished: timeline.finished)
  }
}
