/// A caller that waits for a condition of a manager.
struct Waiter {
  /// Checks the condition, and answers if it holds.
  let look: (isolated InitManager) -> Bool
  /// Ends the wait without a result.
  let cancel: () -> Void
}

extension InitManager {
  /// Waits until `look` returns a result; it is called after each step.
  ///
  /// - Throws: the error of `look`; `CancellationError` if the task is cancelled, or the manager has ended without it.
  func wait<Value: Sendable>(
    for look: @escaping @Sendable (isolated InitManager) -> Result<Value, any Error>?
  ) async throws -> Value {
    let number = newWaiter()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // Checked here, so that no step can come between the check and the registration: other steps may have run before these closures
        // were entered.
        if let found = look(self) { return continuation.resume(with: found) }
        guard !isFinished, !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        waiters[number] = Waiter(
          look: { manager in
            guard let found = look(manager) else { return false }
            continuation.resume(with: found)
            return true
          }, cancel: { continuation.resume(throwing: CancellationError()) })
      }
    } onCancel: {
      Task { await self.cancelWaiter(number) }
    }
  }

  private func newWaiter() -> Int {
    lastWaiter += 1
    return lastWaiter
  }

  private func cancelWaiter(_ number: Int) { waiters.removeValue(forKey: number)?.cancel() }

  /// After a step: answers the waits that it fulfilled, in the order in which they came.
  func answerWaiters() {
    guard !waiters.isEmpty else { return }
    for (number, waiter) in waiters.sorted(by: { $0.key < $1.key }) where waiter.look(self) { waiters[number] = nil }
  }

  /// Ends all waits.
  func cancelWaiters() {
    let left = waiters.sorted { $0.key < $1.key }
    waiters = [:]
    for (_, waiter) in left { waiter.cancel() }
  }
}
