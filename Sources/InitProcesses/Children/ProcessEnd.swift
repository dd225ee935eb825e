internal import EventLoop
internal import Glibc

/// Ends processes: SIGTERM or another signal, and SIGKILL if they haven't been reaped after the grace period.
final class ProcessEnd {
  private var timer: Timer?
  private let send: (Int32) -> Void
  private let interval: Duration?

  /// Starts to end the processes.
  ///
  /// `grace` is the time until SIGKILL; nil if the caller kills the processes. `interval` is the interval at which SIGKILL is repeated, for
  /// processes that leave others behind; nil for no repetition. `signal` is the first signal. `send` sends a signal to all of them.
  init(
    loop: Loop, within grace: Duration?, killingEvery interval: Duration? = nil, by signal: Int32 = SIGTERM,
    send: @escaping (Int32) -> Void
  ) {
    self.send = send
    self.interval = interval
    if grace != nil || interval != nil { timer = Timer(loop: loop, name: "end of a process") }
    send(signal)
    if let grace { timer?.start(after: grace) { [weak self] in self?.kill() } }
  }

  /// Kills the processes now.
  func kill() {
    if let interval { timer?.start(after: interval) { [weak self] in self?.kill() } }
    send(SIGKILL)
  }

  /// Stops sending signals: the processes have been reaped.
  func close() { timer?.close() }
}
