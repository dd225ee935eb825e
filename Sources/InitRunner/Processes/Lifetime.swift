/// How long a kept process has been at work: a value.
///
/// The time in which it only waited for initializers, in `initctl wait` or `initctl run`, doesn't count.
struct Lifetime: Hashable {
  /// The time of the start.
  let started: Duration
  /// Those in the process that wait.
  private var waiting: Set<Int> = []
  /// The time since which at least one waits.
  private var waitingSince = Duration.zero
  private var waited = Duration.zero

  /// Begins the lifetime of a process that is started at this moment.
  init(startedAt now: Duration) { started = now }

  /// Records that a waiter in the process begins to wait; a second call has no effect.
  mutating func beginWait(_ waiter: Int, at now: Duration) {
    if waiting.isEmpty { waitingSince = now }
    waiting.insert(waiter)
  }

  /// Records that a wait is over.
  mutating func endWait(_ waiter: Int, at now: Duration) {
    guard waiting.remove(waiter) != nil, waiting.isEmpty else { return }
    waited += now - waitingSince
  }

  /// Returns how long the process has been at work.
  func lived(at now: Duration) -> Duration {
    now - started - waited - (waiting.isEmpty ? .zero : now - waitingSince)
  }
}
