internal import InitCore

extension InitManager {
  /// Returns when launch is complete.
  ///
  /// - Throws: the ``AppInitializationError`` that launch failed with; `CancellationError` if the calling task is cancelled, or the manager
  ///   is ended before launch has completed or failed.
  public func launched() async throws {
    try await wait { manager -> Result<Void, any Error>? in
      switch manager.stateValues.launch {
      case .complete: .success(())
      case .failed(let error): .failure(error)
      case .pending: nil
      }
    }
  }

  /// Returns when the app is ready: launch and active are complete while it is active; or, if no initializer belongs to the active phase,
  /// launch is complete while it is inactive (S1).
  ///
  /// - Throws: the ``AppInitializationError`` of the composite state; `CancellationError` if the calling task is cancelled, or the manager
  ///   has been ended.
  public func ready() async throws {
    try await wait { manager -> Result<Void, any Error>? in
      switch manager.stateValues.composite {
      case .failed(let error) where !manager.machine.states.isReady: .failure(error)
      case .complete, .failed, .pending:
        manager.machine.states.isReady && !manager.machine.isEnding ? .success(()) : nil
      }
    }
  }

  /// Returns how a pass has ended (S10), at once if it already has.
  ///
  /// - Parameter number: a number from ``activate()`` or from the delegate.
  /// - Returns: the outcome of the pass.
  /// - Throws: ``UnknownPass`` if there was no such pass, or if it ended more than ``rememberedPasses`` passes ago; `CancellationError` if
  ///   the calling task is cancelled.
  public func outcome(ofPass number: Int) async throws -> InitializationPass.Outcome {
    try await wait { manager -> Result<InitializationPass.Outcome, any Error>? in
      switch manager.machine.knowledge(of: PassID(number)) {
      case .underWay, .ended(.started): nil
      case .unknown: .failure(UnknownPass(number: number))
      case .ended(.complete): .success(.complete)
      case .ended(.cancelled): .success(.cancelled)
      case .ended(.failed(let failure)): .success(.failed(error: manager.error(of: failure)))
      }
    }
  }

  /// How many ended passes a manager remembers.
  public static var rememberedPasses: Int { Machine.rememberedPasses }
}

/// The manager doesn't know the requested pass.
public struct UnknownPass: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let number: Int

  /// Says what is wrong, and what to do.
  public var description: String {
    """
    unknown pass \(number): no pass has this number, or it is no longer remembered; use a number that activate() returned, the manager \
    remembers the last \(InitManager.rememberedPasses)
    """
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
          look: {
            guard let found = look(self) else { return false }
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
    for (number, waiter) in waiters.all where waiter.look() { waiters[number] = nil }
  }

  /// Ends all waits.
  func cancelWaiters() {
    for waiter in waiters.removeAll() { waiter.cancel() }
  }
}
