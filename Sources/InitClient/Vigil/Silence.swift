/// Decides whether a silent supervisor is alive: a value.
///
/// After a pause without a message the supervisor is pinged, and the answer must come before the limit. If a decision is late, this process
/// was stopped, perhaps together with the supervisor (a suspended machine, a frozen container). Then the supervisor is given the time again.
struct Silence {
  /// The next step.
  enum Step: Equatable {
    /// Decide again then.
    case wait(until: Duration)
    /// Send a ping, then decide again.
    case ping(until: Duration)
    /// The supervisor doesn't answer.
    case giveUp
  }

  /// The maximum delay of a decision in a process that wasn't stopped.
  static let lateness = Duration.seconds(1)

  /// The maximum silence of a supervisor.
  let limit: Duration
  /// The silence after which the supervisor is pinged; less than the limit.
  private(set) var pause: Duration
  private let start: Duration
  /// The time of the unanswered ping.
  private var pinged: Duration?
  private var due: Duration

  /// Begins a silence at `now`.
  ///
  /// `pause` is the silence after which the supervisor is pinged; at most half of the limit, which is also the default. All
  /// times are by the same clock.
  init(limit: Duration, pause: Duration? = nil, at now: Duration) {
    self.limit = limit
    self.pause = min(pause ?? limit, limit / 2)
    start = now
    due = now + self.pause
  }

  /// Pings earlier from now on.
  mutating func shorten(pause: Duration) { self.pause = min(self.pause, pause) }

  /// Decides.
  ///
  /// `heard` is the time of the last message.
  mutating func step(heard: Duration, at now: Duration) -> Step {
    if let sent = pinged, sent < heard { pinged = nil }
    let wasStopped = now - due > Self.lateness
    if let sent = pinged {
      let end = sent + limit - pause
      if now < end { return wait(until: end) }
      guard wasStopped else { return .giveUp }
      // The same ping is awaited again.
      pinged = now
      return wait(until: now + limit - pause)
    }
    let end = max(heard, start) + pause
    guard now >= end else { return wait(until: end) }
    pinged = now
    due = now + limit - pause
    return .ping(until: due)
  }

  /// Returns how long the supervisor has been silent, if it hasn't answered a ping for as long as the pause; else nil.
  ///
  /// `heard` is the time of the last message.
  func length(heard: Duration, at now: Duration) -> Duration? {
    guard let pinged, pinged >= heard, now - pinged >= pause else { return nil }
    return now - max(heard, start)
  }

  private mutating func wait(until end: Duration) -> Step {
    due = end
    return .wait(until: end)
  }
}
