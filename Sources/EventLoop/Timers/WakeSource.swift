/// Calls back on a loop's thread after the machine was suspended for more than 5 s.
///
/// It compares two clocks every 5 s: ``Loop/bootTime`` counts the time of a suspended machine, and ``Loop/now`` doesn't. After a longer
/// suspension its timer is due at once.
public final class WakeSource {
  /// The longest suspension that isn't reported, and the time between two comparisons.
  public static let patience = Duration.seconds(5)

  private let clocks: () -> Clocks
  private let timer: BootTimer
  private let action: (Duration) -> Void
  private var last: Clocks

  /// The two clocks, read at the same moment.
  struct Clocks {
    /// With the time in which the machine was suspended.
    var boot: Duration
    /// Without it.
    var running: Duration
  }

  /// Watches from now on; `action` gets how long the machine was suspended.
  public convenience init(loop: Loop, then action: @escaping (_ suspended: Duration) -> Void) {
    self.init(loop: loop, clocks: { Clocks(boot: loop.bootTime, running: loop.now) }, then: action)
  }

  /// Watches by other clocks.
  init(loop: Loop, clocks: @escaping () -> Clocks, then action: @escaping (_ suspended: Duration) -> Void) {
    self.clocks = clocks
    self.action = action
    timer = BootTimer(loop: loop, name: "wake") { clocks().boot }
    last = clocks()
    wait()
  }

  /// Stops watching.
  ///
  /// Further calls have no effect. Deinit does the same.
  public func close() { timer.close() }

  private func wait() {
    timer.start(at: last.boot + Self.patience) { [unowned self] in compare() }
  }

  /// Reports a suspension since the last comparison.
  func compare() {
    let now = clocks()
    let suspended = (now.boot - last.boot) - (now.running - last.running)
    last = now
    wait()
    if suspended > Self.patience { action(suspended) }
  }
}
