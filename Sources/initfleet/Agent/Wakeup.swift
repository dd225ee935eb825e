internal import EventLoop

/// Wakes one task that waits for something to do.
@ProgramLoop final class Wakeup {
  private enum Need { case none, soon, now }

  private var need = Need.now
  private var waiter: CheckedContinuation<Void, Never>?
  private var lastWoken: Duration?

  /// The minimum interval between non-urgent wake-ups.
  private static let pace = Duration.seconds(2)

  nonisolated init() {}

  /// There is something to do.
  func wake(urgently: Bool = true) {
    need = urgently ? .now : need == .none ? .soon : need
    waiter?.resume()
    waiter = nil
  }

  /// Waits until there is something to do, or the task is cancelled.
  func wait(_ loop: Loop) async {
    while need != .now, !Task.isCancelled {
      let due = (lastWoken ?? loop.now) + Self.pace
      if need == .soon, due <= loop.now { break }
      let timer =
        need == .soon
        ? Task(executorPreference: loop) {
          try await Task.sleep(for: due - loop.now)
          await self.resume()
        } : nil
      defer { timer?.cancel() }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          if Task.isCancelled { return continuation.resume() }
          waiter = continuation
        }
      } onCancel: {
        loop.perform { ProgramLoop.assumeIsolated { self.resume() } }
      }
    }
    need = .none
    lastWoken = loop.now
  }

  private func resume() {
    waiter?.resume()
    waiter = nil
  }
}
