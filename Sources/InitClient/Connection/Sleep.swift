internal import Libuv

/// A wait on a loop's timer, from anywhere.
final class Sleep: @unchecked Sendable {
  // All but its making happens on the loop's thread, which the timer checks.
  private let loop: Loop
  private var timer: Timer?
  private var continuation: CheckedContinuation<Void, Never>?
  private var isEnded = false

  private init(loop: Loop) { self.loop = loop }

  /// Waits that long, or until the waiting task is cancelled.
  static func on(_ loop: Loop, for duration: Duration) async {
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
