/// A caller that waits for a condition of a manager.
struct Waiter {
  /// Checks the condition, and answers if it holds.
  let look: (isolated InitManager) -> Bool
  /// Ends the wait without a result.
  let cancel: () -> Void
}

/// The callers that wait, in the order in which they came.
struct Waiters {
  private var waiters: [Int: Waiter] = [:]
  private var last = 0

  /// The number of waiters.
  var count: Int { waiters.count }

  /// Returns the number of the next waiter.
  mutating func nextNumber() -> Int {
    last += 1
    return last
  }

  /// Returns the waiter with that number.
  subscript(number: Int) -> Waiter? {
    get { waiters[number] }
    set { waiters[number] = newValue }
  }

  /// All waiters, the first one first.
  var all: [(number: Int, waiter: Waiter)] { waiters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

  /// Removes and returns all waiters, the first one first.
  mutating func removeAll() -> [Waiter] {
    defer { waiters = [:] }
    return all.map(\.waiter)
  }
}

extension InitManager {
  /// Waits until `look` returns a result; it is called after each step.
  ///
  /// - Throws: the error of `look`; `CancellationError` if the task is cancelled, or the manager has ended without it.
  func wait<Value: Sendable>(
    for look: @escaping @Sendable (isolated InitManager) -> Result<Value, any Error>?
  ) async throws -> Value {
    let number = waiters.nextNumber()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // Checked here, so no step can come between the check and the registration: other steps may have run before these closures were
        // entered.
        if let found = look(self) { return continuation.resume(with: found) }
        guard !end.isFinished, !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
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

  private func cancelWaiter(_ number: Int) {
    let waiter = waiters[number]
    waiters[number] = nil
    waiter?.cancel()
  }

  /// Answers the waits that a step fulfilled, in the order in which they came.
  func answerWaiters() {
    guard waiters.count > 0 else { return }
    for (number, waiter) in waiters.all where waiter.look(self) { waiters[number] = nil }
  }

  /// Ends all waits.
  func cancelWaiters() {
    for waiter in waiters.removeAll() { waiter.cancel() }
  }
}
