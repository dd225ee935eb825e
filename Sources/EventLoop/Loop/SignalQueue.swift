internal import CPlatform
public import Platform

/// Calls back on a loop's thread for each of many signals that other processes send.
///
/// The signals are blocked in this thread and in those that it creates, and read from a descriptor. So any number of signals costs three
/// system calls, and a ``SignalSource`` five each. A signal that this process sends itself, e.g. by a write beyond `ulimit -f`, is dropped.
public final class SignalQueue {
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
    while case let number = platform_next_signal(descriptor.number), number != 0 { action(number) }
  }
}
