internal import CPlatform
internal import Platform

/// A one-shot timer by the clock that counts the time of a suspended machine as well: ``Loop/bootTime``.
///
/// A ``Timer`` counts only the time in which the machine runs; this one fires as soon as the machine has resumed. Like a ``Timer``, it
/// fires after earlier ready work: a timer of the kernel only wakes the loop, which then starts a ``Timer`` that is due.
public final class BootTimer {
  private let loop: Loop
  private let timer: Timer
  /// The clock.
  private let now: () -> Duration
  private var deadline: Duration?
  private var action: () -> Void = {}
  /// The kernel's timer; nil before the first start, and if no descriptor was free for it.
  private var wakeUp: Poll?

  /// Creates a stopped timer.
  ///
  /// The name is reported if the timer is still open when the loop closes.
  public convenience init(loop: Loop, name: String) { self.init(loop: loop, name: name) { loop.bootTime } }

  /// Creates a timer by another clock, which the kernel's timer doesn't know.
  init(loop: Loop, name: String, now: @escaping () -> Duration) {
    self.loop = loop
    self.now = now
    timer = Timer(loop: loop, name: name)
  }

  /// Calls `action` once, when ``Loop/bootTime`` has reached `deadline`.
  ///
  /// Starts the timer; a second start replaces the first. Without a descriptor for the kernel's timer, the time in which the machine was
  /// suspended doesn't count.
  public func start(at deadline: Duration, then action: @escaping () -> Void) {
    self.deadline = deadline
    self.action = action
    watch()
    set(deadline)
    startTimer()
  }

  /// Stops the timer.
  public func stop() {
    deadline = nil
    set(nil)
    timer.stop()
  }

  /// Closes the timer.
  ///
  /// Further calls have no effect. Deinit does the same.
  public func close() {
    deadline = nil
    wakeUp?.close()
    timer.close()
  }

  private func startTimer() {
    guard let deadline else { return }
    timer.start(at: loop.now + (deadline - now())) { [unowned self] in fire() }
  }

  /// Handles that the kernel's timer has fired: the machine may have been suspended.
  func wake() {
    set(nil)
    startTimer()
  }

  private func fire() {
    guard let deadline else { return }
    // The clocks are read one after the other.
    guard deadline <= now() else { return startTimer() }
    self.deadline = nil
    set(nil)
    action()
  }

  private func watch() {
    guard wakeUp == nil, case let number = platform_boot_timer_create(), number >= 0 else { return }
    let poll = try? Poll(loop: loop, descriptor: Descriptor(owning: number), name: "clock")
    guard (try? poll?.start(.readable, then: { [unowned self] _ in wake() })) != nil else { return }
    wakeUp = poll
  }

  private func set(_ moment: Duration?) {
    guard let wakeUp else { return }
    // The kernel's timer is set to a moment after the boot; zero means never.
    let nanoseconds = moment.map { max(1, $0.millisecondsRoundedUp) * 1_000_000 } ?? 0
    _ = platform_boot_timer_set(wakeUp.descriptor.number, nanoseconds)
  }
}
