internal import EventLoop

/// Sees to it that a supervisor is alive while something is awaited that may take long; on the loop's thread.
final class Vigil {
  private let loop: Loop
  private let limit: Duration
  private let timer: Timer
  private var silence: Silence?
  /// The number of answers that are awaited.
  private var count = 0
  /// When the last message came.
  private let heard: () -> Duration
  private let ping: () -> Void
  private let giveUp: () -> Void

  /// Watches a supervisor that may be silent for as long as `limit`.
  ///
  /// `heard` returns the time of the supervisor's last message, `ping` sends it a ping, and `giveUp` is called if it doesn't answer.
  init(
    loop: Loop, limit: Duration, heard: @escaping () -> Duration, ping: @escaping () -> Void,
    giveUp: @escaping () -> Void
  ) {
    self.loop = loop
    self.limit = limit
    self.heard = heard
    self.ping = ping
    self.giveUp = giveUp
    timer = Timer(loop: loop, name: "vigil")
  }

  /// Begins to watch the connection: an answer is awaited.
  ///
  /// - Parameter pause: the silence after which the supervisor is pinged; by default half of the limit.
  func begin(pause: Duration? = nil) {
    count += 1
    if silence == nil { silence = Silence(limit: limit, pause: pause, at: loop.now) }
    if let pause { silence?.shorten(pause: pause) }
    decide()
  }

  /// Ends the watching: no answer is awaited any longer.
  func end() {
    count -= 1
    guard count == 0 else { return }
    silence = nil
    timer.stop()
  }

  /// How long the supervisor has been silent, if it hasn't answered a ping for some time; otherwise nil.
  var silentFor: Duration? { silence?.length(heard: heard(), at: loop.now) }

  private func decide() {
    switch silence?.step(heard: heard(), at: loop.now) {
    case .wait(let end): timer.start(at: end) { [weak self] in self?.decide() }
    case .ping(let end):
      timer.start(at: end) { [weak self] in self?.decide() }
      ping()
    case .giveUp: giveUp()
    case nil: break
    }
  }
}
