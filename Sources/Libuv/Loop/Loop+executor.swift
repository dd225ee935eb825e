/// Jobs of actors and tasks run on the loop's thread.
///
/// An actor whose `unownedExecutor` is the loop's, a task that prefers it, and a handle's callback share one thread and
/// need no lock among themselves; in a callback, `assumeIsolated` reaches such an actor without a hop.
extension Loop: SerialExecutor, TaskExecutor {
  /// Queues a job. From any thread. On a loop that was closed it never runs.
  public func enqueue(_ job: consuming ExecutorJob) {
    submit(.job(UnownedJob(job)))
  }

  /// Traps unless the caller is on the loop's thread; what `assumeIsolated` asks in a callback that is no job.
  public func checkIsolated() {
    preconditionCurrent("not on the loop's thread")
  }

  /// Whether the caller is on the loop's thread, in a job or in a callback.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// The loop as an actor's `unownedExecutor`. The loop must outlive the actor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// The loop as a task's preferred executor.
  public func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
