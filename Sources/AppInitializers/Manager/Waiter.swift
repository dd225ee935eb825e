/// Somebody who waits for a manager to come to something.
struct Waiter {
  /// Looks whether it has come to that, and if so answers.
  let look: (isolated InitManager) -> Bool
  /// Answers that it won't be waited for any longer.
  let cancel: () -> Void
}

extension InitManager {
  /// Waits until `look` finds something, which it is asked for after each step.
  ///
  /// - Throws: what `look` finds instead; `CancellationError` if the task is cancelled, or the manager has ended without it.
  func wait<Value: Sendable>(
    for look: @escaping @Sendable (isolated InitManager) -> Result<Value, any Error>?
  ) async throws -> Value {
    let number = newWaiter()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // Looked here, where nothing comes between a look and the entry: on the way into these closures other steps may have come.
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

  /// A step is over: whoever has waited for what it brought is answered, in the order they came.
  func answerWaiters() {
    guard !waiters.isEmpty else { return }
    for (number, waiter) in waiters.sorted(by: { $0.key < $1.key }) where waiter.look(self) { waiters[number] = nil }
  }

  /// Nothing will come any more.
  func cancelWaiters() {
    let left = waiters.sorted { $0.key < $1.key }
    waiters = [:]
    for (_, waiter) in left { waiter.cancel() }
  }
}
