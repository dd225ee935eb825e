internal import Glibc

/// The end of processes that are told to: SIGTERM, and SIGKILL if they haven't been reaped when the grace is over.
final class ProcessEnd {
  private var timer: Timer?
  private let send: (Int32) -> Void
  private let interval: Duration?

  /// Tells them to end.
  ///
  /// - Parameters:
  ///   - grace: how long they have; nil if somebody else says when they are killed.
  ///   - interval: how often SIGKILL is sent again, for processes that leave others behind; nil for once.
  ///   - send: sends a signal to all of them.
  init(loop: Loop, within grace: Duration?, killingEvery interval: Duration? = nil, send: @escaping (Int32) -> Void) {
    (self.send, self.interval) = (send, interval)
    if grace != nil || interval != nil { timer = Timer(loop: loop, name: "end of a process") }
    send(SIGTERM)
    if let grace { timer?.start(after: grace) { [weak self] in self?.kill() } }
  }

  /// Kills them now.
  func kill() {
    if let interval { timer?.start(after: interval) { [weak self] in self?.kill() } }
    send(SIGKILL)
  }

  /// They have been reaped: nothing is sent any more.
  func close() { timer?.close() }
}
