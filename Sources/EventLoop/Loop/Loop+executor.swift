/// Jobs of actors and tasks run on the loop's thread.
///
/// Actors whose `unownedExecutor` is the loop, tasks that prefer it, and callbacks of handles share one thread and need no locks. In a
/// callback, `assumeIsolated` accesses such an actor without a hop.
extension Loop: SerialExecutor, TaskExecutor {
  /// Queues a job.
  ///
  /// This may be called from any thread. On a closed loop the job never runs.
  public func enqueue(_ job: consuming ExecutorJob) {
    submit(.job(UnownedJob(job)))
  }

  /// Traps unless the caller is on the loop's thread; used by `assumeIsolated` in callbacks that aren't jobs.
  public func checkIsolated() {
    preconditionCurrent("not on the loop's thread")
  }

  /// Returns whether the caller is on the loop's thread, in a job or in a callback.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Returns the loop as an actor's `unownedExecutor`.
  ///
  /// The loop must outlive the actor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Returns the loop as a task's preferred executor.
  public func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
