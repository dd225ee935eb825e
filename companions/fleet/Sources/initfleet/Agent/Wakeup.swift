internal import Etcd

/// Wakes one task that waits for something to do.
@FleetActor final class Wakeup {
  private enum Need { case none, soon, now }

  private var need = Need.now
  private var waiter: CheckedContinuation<Void, Never>?
  private var lastWoken: Duration?
  private let alarm = Alarm()

  /// The minimum interval between non-urgent wake-ups.
  private static let pace = Duration.seconds(2)

  /// Wakes the loop.
  func wake(urgently: Bool = true) {
    need = urgently ? .now : need == .none ? .soon : need
    resume()
  }

  /// Waits until there is something to do, or the task is cancelled.
  func wait() async {
    while need != .now, !Task.isCancelled {
      let due = (lastWoken ?? FleetClock.now) + Self.pace
      if need == .soon, due <= FleetClock.now { break }
      alarm.set(need == .soon ? due : nil) { [weak self] in self?.resume() }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          if Task.isCancelled { return continuation.resume() }
          waiter = continuation
        }
      } onCancel: {
        Task { await self.resume() }
      }
    }
    need = .none
    lastWoken = FleetClock.now
  }

  private func resume() {
    waiter?.resume()
    waiter = nil
  }
}
