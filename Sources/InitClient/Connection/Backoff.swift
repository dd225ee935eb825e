/// Exponential backoff: the delay before the next attempt, with a maximum and with jitter, so many clients of one supervisor don't all
/// reconnect at once.
struct Backoff {
  private let first: Duration
  private let factor: Double
  private let longest: Duration
  private var attempts = 0

  /// Delays that grow by `factor` from `first` to `longest`.
  init(first: Duration, factor: Double, longest: Duration) {
    self.first = first
    self.factor = factor
    self.longest = longest
  }

  /// Waits while nothing listens: short delays, because a user may be waiting.
  static let waiting = Backoff(first: .milliseconds(5), factor: 1.5, longest: .milliseconds(100))
  /// Waits for a lost supervisor: the client is connected again within two seconds of a new one.
  static let reconnecting = Backoff(first: .milliseconds(50), factor: 2, longest: .seconds(1))

  /// Returns the next delay: between half of it and all of it, by `jitter` from 0 to 1.
  mutating func next(jitter: Double = .random(in: 0...1)) -> Duration {
    var wait = first
    for _ in 0..<attempts where wait < longest { wait = wait * factor }
    attempts += 1
    return min(wait, longest) * (0.5 + jitter / 2)
  }

  /// Resets the delay, after success.
  mutating func reset() { attempts = 0 }
}
