/// How long to wait before the next attempt: longer each time, up to a bound, and with jitter, so that many clients that
/// lost one supervisor don't come back all at once.
struct Backoff {
  private let first: Duration
  private let factor: Double
  private let longest: Duration
  private var attempts = 0

  /// Waits that grow by `factor` from `first` to `longest`.
  init(first: Duration, factor: Double, longest: Duration) {
    (self.first, self.factor, self.longest) = (first, factor, longest)
  }

  /// For a supervisor that is about to start: somebody waits for it now.
  static let waiting = Backoff(first: .milliseconds(5), factor: 1.5, longest: .milliseconds(100))
  /// For a worker whose supervisor went away.
  static let reconnecting = Backoff(first: .milliseconds(50), factor: 2, longest: .seconds(5))

  /// The next wait: between half of it and all of it, by `jitter` from 0 to 1.
  mutating func next(jitter: Double = .random(in: 0...1)) -> Duration {
    var wait = first
    for _ in 0..<attempts where wait < longest { wait = wait * factor }
    attempts += 1
    return min(wait, longest) * (0.5 + jitter / 2)
  }

  /// Begins anew, after success.
  mutating func reset() { attempts = 0 }
}
