internal import InitLocks
package import Platform

// Work that blocks has a few threads of its own in each loop. They aren't libuv's: libuv aborts the process if it can't create its threads,
// e.g. because the user has as many processes as the system allows (RLIMIT_NPROC). Invariant: work is only queued if there is a thread, so
// it is always performed.

extension Loop {
  /// How many pieces of blocking work are performed at once.
  static let blockingThreads = 4

  /// Performs work that blocks in a thread of a small pool, and calls `then` with its result in a later turn.
  ///
  /// If there is no thread and none can be created, `then` is called at once with the reason. The loop can't be closed before the work has
  /// returned.
  package func performInThread<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Result<Value, SystemError>) -> Void
  ) {
    preconditionCurrent()
    do throws(SystemError) { try threads.start() } catch { return then(.failure(error)) }
    let value = Locked<Value?>(nil)
    let number = addBlockingWork {
      if let made = value.withLock({ $0 }) { then(.success(made)) }
    }
    Task(executorPreference: threads) { @Sendable [self] in
      let made = work()
      value.withLock { $0 = made }
      perform { [self] in finishBlockingWork(number) }
    }
  }
}
