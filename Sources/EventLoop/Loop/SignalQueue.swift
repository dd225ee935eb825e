internal import CPlatform
public import Platform

/// Calls back on a loop's thread for each of many signals that other processes send.
///
/// The signals are blocked in this thread and in those that it creates, and read from a descriptor. So any number of signals costs three
/// system calls, and a ``SignalSource`` five each. A signal that this process sends itself, e.g. by a write beyond `ulimit -f`, is dropped.
///
/// Signals of the same number that are sent within one turn may be reported once, and those of different numbers in the order of their
/// numbers.
public final class SignalQueue {
  /// The maximum number of signals that are reported in a turn.
  private static let signalsPerTurn = 64

  private let descriptor: Descriptor
  private let action: (Int32) -> Void
  private var watch: ReadWatch?

  /// Watches `signals` from now on, until the process ends: they stay blocked.
  ///
  /// Create only one object per process, in its only thread. A thread that doesn't block the signals would take them, with their default
  /// actions. Throws if descriptors are exhausted.
  public init(loop: Loop, signals: [Int32], then action: @escaping (Int32) -> Void) throws(SystemError) {
    let number = FaultInjection.refuses() ? -1 : platform_queue_signals(signals, Int32(signals.count))
    guard number >= 0 else { throw .last("signalfd") }
    descriptor = Descriptor(owning: number)
    self.action = action
    watch = try ReadWatch(loop: loop, descriptor: descriptor, name: "signals") { [weak self] in self?.takeSignals() }
  }

  private func takeSignals() {
    for _ in 0..<Self.signalsPerTurn {
      let number = platform_next_signal(descriptor.number)
      guard number != 0 else { break }
      action(number)
    }
  }
}
