/// When the screen is drawn: at most ten times a second.
///
/// Unless the user has pressed a key or resized the window, it is drawn so seldom that composing it takes a small part of the time, however
/// many initializers there are.
struct DrawingPace {
  /// The shortest time between two drawings.
  static let shortestPause = Duration.milliseconds(100)
  /// The longest time between two drawings while something runs, because durations are shown.
  static let pauseWhileRunning = Duration.milliseconds(200)
  /// The longest time between two drawings in other cases.
  static let longestPause = Duration.seconds(1)
  /// The pause after a screen was composed, as a multiple of the time that it took.
  static let shareOfTime = 40

  private var drawn: Duration?
  private var pause = DrawingPace.shortestPause

  /// Records that the screen was drawn.
  mutating func drew(at now: Duration, composedIn cost: Duration) {
    drawn = now
    pause = max(Self.shortestPause, cost * Self.shareOfTime)
  }

  /// Shortens the pause, because the user has pressed a key or resized the window: the next drawing doesn't wait because the last one took
  /// long to compose.
  mutating func hurry() { pause = Self.shortestPause }

  /// Returns when to draw the screen again.
  ///
  /// `isStale` is true if the screen differs from the drawn one. `isRunning` says whether something runs.
  func due(isStale: Bool, isRunning: Bool) -> Duration {
    guard let drawn else { return .zero }
    return drawn + (isStale ? pause : max(pause, isRunning ? Self.pauseWhileRunning : Self.longestPause))
  }
}
