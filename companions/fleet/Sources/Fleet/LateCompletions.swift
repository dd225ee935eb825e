/// Whether launch is retried because other hosts have completed what has failed here: a value.
///
/// Events go in, and effects come out. The caller carries the effects out, and reports their results as events.
///
/// Invariants:
///
/// 1. Launch is retried only after it has failed: a running pass may have had its turn with the initializer already.
/// 2. After a retry, the next one needs a failure of the initializer in the pass of that retry, or in a later pass.
/// 3. A retry that has had no effect is repeated, with growing pauses.
package struct LateCompletions: Sendable, Hashable {
  /// An initializer that runs once for a release.
  package struct Work: Sendable, Hashable {
    package let initializer: String
    package let release: String

    package init(_ initializer: String, of release: String) {
      self.initializer = initializer
      self.release = release
    }
  }

  /// What this host's supervisor says about an initializer.
  package struct Report: Sendable, Hashable {
    package let initializer: String
    /// The release, if the initializer runs once for it; else nil.
    package let release: String?
    /// Whether its attempts are used up, and launch needs it.
    package let hasFailed: Bool
    /// The pass of its last run; 0 before there was one.
    package let pass: Int

    package init(_ initializer: String, release: String?, hasFailed: Bool, pass: Int) {
      self.initializer = initializer
      self.release = release
      self.hasFailed = hasFailed
      self.pass = pass
    }
  }

  package enum Event: Sendable, Hashable {
    /// A supervisor answers, and these are all of its initializers.
    case found([Report], launch: PhaseRecord.State)
    /// An initializer has changed.
    case changed(Report)
    /// There is no such initializer any more.
    case removed(String)
    /// The launch phase has this state.
    case launch(PhaseRecord.State)
    /// etcd has a completion of this work that this host can use.
    case completed(Work)
    /// The supervisor has answered a retry with this pass.
    case launched(pass: Int)
    /// The supervisor hasn't answered a retry.
    case unanswered
    /// The connection to the supervisor is lost.
    case disconnected
    /// The moment ``LateCompletions/due`` has come.
    case passed
  }

  package enum Effect: Sendable, Hashable {
    /// Report a completion of this work, even an earlier one.
    case follow(Work)
    case stopFollowing(Work)
    /// Retry launch: another host has completed this work.
    case launch(because: Work)
  }

  private struct Failure: Sendable, Hashable {
    var work: Work
    var pass: Int
    var isCompleted = false
  }

  /// The failed initializers, by name.
  private var failures: [String: Failure] = [:]
  private var hasLaunchFailed = false
  /// Whether a retry isn't answered yet.
  private var isAsking = false
  /// The pass of the last retry.
  private var lastPass = 0
  /// The number of retries since launch was complete.
  private var retries = 0
  /// The next retry isn't earlier.
  private var earliest = Duration.zero

  /// The pause after the first retry; it doubles with each further one.
  private static let pause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)

  package init() {}

  /// When the value needs the event ``Event/passed``; nil for never.
  package var due: Duration? { reason == nil ? nil : earliest }

  /// The first work that is a reason for a retry.
  private var reason: Work? {
    guard hasLaunchFailed, !isAsking else { return nil }
    return failures.values.filter { $0.isCompleted && $0.pass >= lastPass }.map(\.work).min {
      $0.initializer < $1.initializer
    }
  }

  /// Handles an event, and returns what the caller must do, in order.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .found(let reports, let launch):
      let names = Set(reports.map(\.initializer))
      for name in failures.keys.sorted() where !names.contains(name) { effects += drop(name) }
      for report in reports { effects += update(report) }
      enter(launch)
    case .changed(let report): effects += update(report)
    case .removed(let name): effects += drop(name)
    case .launch(let state): enter(state)
    case .completed(let work):
      if failures[work.initializer]?.work == work { failures[work.initializer]?.isCompleted = true }
    case .launched(let pass):
      isAsking = false
      lastPass = max(lastPass, pass)
    case .unanswered: isAsking = false
    case .disconnected:
      effects += failures.keys.sorted().flatMap { drop($0) }
      self = LateCompletions()
    case .passed: break
    }
    if let reason, now >= earliest {
      isAsking = true
      earliest = now + min(Self.pause * (1 << min(retries, 10)), Self.longestPause)
      retries += 1
      effects.append(.launch(because: reason))
    }
    return effects
  }

  private mutating func enter(_ state: PhaseRecord.State) {
    hasLaunchFailed = state == .failed
    guard state == .complete else { return }
    retries = 0
    earliest = .zero
  }

  private mutating func update(_ report: Report) -> [Effect] {
    guard report.hasFailed, let release = report.release else { return drop(report.initializer) }
    let work = Work(report.initializer, of: release)
    if failures[report.initializer]?.work == work {
      failures[report.initializer]?.pass = report.pass
      return []
    }
    let effects = drop(report.initializer) + [.follow(work)]
    failures[report.initializer] = Failure(work: work, pass: report.pass)
    return effects
  }

  private mutating func drop(_ name: String) -> [Effect] {
    failures.removeValue(forKey: name).map { [.stopFollowing($0.work)] } ?? []
  }
}
