internal import CLibuv
internal import InitLocks
package import Platform

extension Loop {
  /// Performs work that blocks in a thread of a small pool, and calls `then` with its result in a later turn.
  ///
  /// If the work can't be queued, `then` is called at once with the reason. The loop can't be closed before the work has returned.
  package func performInThread<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Result<Value, SystemError>) -> Void
  ) {
    preconditionCurrent()
    let value = Locked<Value?>(nil)
    let status = FaultInjection.status(
      queueWork(raw) {
        let made = work()
        value.withLock { $0 = made }
      } completion: { status in
        guard let made = value.withLock({ $0 }) else { return then(.failure(.uv("uv_queue_work", status))) }
        then(.success(made))
      })
    if status != 0 { then(.failure(.uv("uv_queue_work", status))) }
  }
}
