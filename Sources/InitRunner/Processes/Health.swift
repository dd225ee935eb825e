internal import InitCore

/// Decides from the checks of a process that is ready whether it is unhealthy (S38): a value.
///
/// Failures in a row make it unhealthy, and one success ends that. After a gap in which nothing was checked, e.g. because the machine slept,
/// the next check is the first one.
struct Health: Hashable {
  /// A process that is unhealthy: since when, and why its last check failed.
  struct Illness: Hashable {
    let since: Duration
    var failure: String
  }

  /// What has changed.
  enum Change: Hashable {
    case none
    case becameUnhealthy
    case recovered
  }

  let tries: Int
  /// A longer time between two results is a gap.
  let gap: Duration
  /// How many checks have failed in a row.
  private(set) var failures = 0
  private(set) var illness: Illness?
  private var last: Duration?

  init(tries: Int, gap: Duration, isIll: Bool = false, at now: Duration = .zero) {
    self.tries = tries
    self.gap = gap
    if isIll { illness = Illness(since: now, failure: "") }
  }

  /// Records a check that has succeeded.
  mutating func succeeded(at now: Duration) -> Change {
    last = now
    failures = 0
    defer { illness = nil }
    return illness == nil ? .none : .recovered
  }

  /// Records a check that has failed, and why.
  mutating func failed(_ failure: String, at now: Duration) -> Change {
    if let last, now - last > gap { failures = 0 }
    last = now
    failures += 1
    let isKnown = illness?.failure.isEmpty == false
    if isKnown { illness?.failure = failure }
    guard !isKnown, failures >= tries else { return .none }
    illness = Illness(since: illness?.since ?? now, failure: failure)
    return .becameUnhealthy
  }
}
