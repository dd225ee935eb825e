package import EventLoop

/// A sleep with a loop's timer, callable from any thread.
package final class Sleep: @unchecked Sendable {
  // After its creation it is used only on the loop's thread, which the timer checks.
  private let loop: Loop
  private var timer: Timer?
  private var continuation: CheckedContinuation<Void, Never>?
  private var isEnded = false

  private init(loop: Loop) { self.loop = loop }

  /// Sleeps for this duration, or until the task is cancelled.
  package static func on(_ loop: Loop, for duration: Duration) async {
    let sleep = Sleep(loop: loop)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in loop.perform { sleep.start(duration, continuation) } }
    } onCancel: {
      loop.perform { sleep.end() }
    }
  }

  private func start(_ duration: Duration, _ continuation: CheckedContinuation<Void, Never>) {
    guard !isEnded else { return continuation.resume() }
    self.continuation = continuation
    let timer = Timer(loop: loop, name: "sleep")
    timer.start(after: duration) { [weak self] in self?.end() }
    self.timer = timer
  }

  private func end() {
    isEnded = true
    timer?.close()
    continuation?.resume()
    continuation = nil
  }
}
