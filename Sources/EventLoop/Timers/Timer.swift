internal import CLibuv

/// A one-shot timer on a loop's thread, which may be started again any number of times.
///
/// A timer never fires early by ``Loop/now``, and at most about a millisecond late on an idle loop: libuv counts whole milliseconds, so the
/// time is rounded up. Events that were ready before it fires are handled first, e.g. messages that arrived while the process was stopped:
/// ``TimerPatience`` limits for how long. A timer that restarts itself doesn't starve the loop.
public final class Timer {
  private let handle: LoopHandle<uv_timer_t>
  private var action: (() -> Void)?
  /// The time at which the timer is due, in milliseconds of the loop's time.
  private var due: UInt64 = 0

  /// Creates a stopped timer.
  ///
  /// The name is reported if the timer is still open when the loop closes.
  public init(loop: Loop, name: String = "timer") {
    do {
      handle = try LoopHandle(name, on: loop, call: "uv_timer_init") { uv_timer_init($0, $1) }
    } catch {
      preconditionFailure("\(error)")
    }
    handle.setOwner(self)
  }

  /// Whether the timer was started and hasn't fired.
  public var isActive: Bool { action != nil }

  /// Calls `action` once after `duration`; a negative duration counts as zero.
  ///
  /// Starts the timer; a second start replaces the first. After ``close()`` it has no effect.
  public func start(after duration: Duration, then action: @escaping () -> Void) {
    start(at: handle.loop.now + duration, then: action)
  }

  /// Calls `action` once, when ``Loop/now`` has reached `deadline`.
  ///
  /// Starts the timer; a second start replaces the first. After ``close()`` it has no effect.
  public func start(at deadline: Duration, then action: @escaping () -> Void) {
    handle.loop.preconditionCurrent()
    guard handle.pointer != nil else { return }
    self.action = action
    // libuv fires when the loop's time, in whole milliseconds, has reached the timer's. The delay is at least one millisecond: otherwise a
    // timer that was started in its own callback would fire again in the same pass over the timers.
    let turn = uv_now(handle.loop.raw)
    due = deadline.millisecondsRoundedUp
    start(after: max(due, turn + 1) - turn)
  }

  private func start(after milliseconds: UInt64) {
    guard let timer = handle.pointer else { return }
    uv_timer_start(timer, { LoopHandle.owner(of: $0, as: Timer.self)?.fire() }, milliseconds, 0)
  }

  /// Stops the timer.
  public func stop() {
    handle.loop.preconditionCurrent()
    action = nil
    if let timer = handle.pointer { uv_timer_stop(timer) }
  }

  /// Closes the timer.
  ///
  /// Further calls have no effect. Deinit does the same.
  public func close() {
    handle.close()
    action = nil
  }

  private func fire() {
    guard !handle.loop.holdsTimers(due: due) else { return start(after: 1) }
    let action = action
    self.action = nil
    action?()
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded up, at least zero, and bounded so that libuv's sum can't overflow.
  var millisecondsRoundedUp: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return UInt64(min(seconds, 1 << 52)) * 1000 + UInt64(milliseconds)
  }
}
