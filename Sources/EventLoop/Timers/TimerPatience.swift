/// Decides whether due timers wait until the loop has handled everything that is ready: a value.
///
/// libuv calls timers before it polls, and before queued work. If the process was stopped, or a turn took long, they would overtake an exit
/// or a message that arrived in time: a run that ended before its timeout would fail with it. So due timers wait while something is ready,
/// but only for as long as they are late already, so a flood of messages at most doubles a delay. They never wait longer than `most`.
struct TimerPatience {
  /// The minimum and the maximum of the time for which timers wait while something is ready, in milliseconds.
  static let least: UInt64 = 2
  static let most: UInt64 = 2000

  /// The turn of the last decision, and the decision.
  private var last = (turn: -1, holds: false)
  /// The time at which the last wait ended or must end: timers that were due before have waited.
  private var end: UInt64 = 0
  /// Whether something was ready at the last decision.
  private var wasReady = false
  /// The turn in which a timer was last asked about.
  private var turn = -1
  /// When the earliest timer that waits was due: of those of this turn, and of the turn before, until it fires.
  private var waiting: (now: UInt64?, before: UInt64?) = (nil, nil)

  /// Returns whether a due timer must wait for a later turn.
  ///
  /// `due` is the time at which it was due. `now` is the time, in milliseconds like `due`. `turn` is the number of the loop's turn: if a
  /// timer waits, so do the later timers of the same turn. `isReady` says whether work is queued, or a descriptor is ready.
  mutating func holdsTimers(due: UInt64, at now: UInt64, turn: Int, isReady: () -> Bool) -> Bool {
    if turn != self.turn {
      self.turn = turn
      waiting = (nil, waiting.now)
    }
    // A waiting timer starts again for the next millisecond. One that is due then, and was started before, would overtake it.
    let overtakes = waiting.before.map { due > $0 } ?? false
    let holds = decides(due: due, at: now, turn: turn, isReady: isReady) || overtakes
    if holds { waiting.now = min(due, waiting.now ?? due) } else if due == waiting.before { waiting.before = nil }
    return holds
  }

  private mutating func decides(due: UInt64, at now: UInt64, turn: Int, isReady: () -> Bool) -> Bool {
    if turn == last.turn, last.holds || due <= end { return last.holds }
    // A timer that was due after the end hasn't waited. If it is late, the events that arrived in the meantime may have just been handled;
    // or the process was stopped while earlier timers waited.
    if due > end {
      let late = now - min(due, now)
      end = now + min(max(late, Self.least), Self.most)
      wasReady = late > Self.least
    }
    let isReady = isReady()
    // The callbacks that just ran may have made more descriptors ready, which only a poll finds, e.g. by accepting a connection with a
    // message.
    let holds = (isReady || wasReady) && now < end
    if !holds { end = min(end, now) }
    wasReady = isReady
    last = (turn, holds)
    return holds
  }
}
