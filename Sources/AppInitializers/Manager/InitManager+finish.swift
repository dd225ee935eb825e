internal import InitCore

extension InitManager: Initialization {
  /// Ends the manager, before the program exits (S24).
  ///
  /// After this, no call starts a run.
  ///
  /// All runs are cancelled, including those of launch. When they have stopped, the manager calls ``AppInitializer/stop()`` of each
  /// completed initializer, one at a time, in the reverse order of completion. When this returns, all of this has happened, and the
  /// sequences of the states have ended.
  ///
  /// If a `stop()` takes longer than 10 s, its task is cancelled. If it hasn't returned 5 s later, the next `stop()` is called
  /// nevertheless. Objects that aren't `Sendable` may share state: then the next `stop()` is called only when the first has returned, and
  /// `finish` doesn't wait for that.
  public func finish() async {
    stopFollowing()
    try? apply(.shutdownRequested)
    await withCheckedContinuation { end.add($0) }
    endStates()
  }

  /// Waits until all runs that were asked to stop have stopped (S13).
  ///
  /// Other runs aren't waited for: launch continues.
  public func stopped() async {
    while let stopping = tasks.stopping { await stopping.task.value }
  }

  /// Tells a provider to release the resources of a completed run.
  func stop(_ start: RunStart) {
    guard let provider = providers[start] else { return stopEnded(start.run) }
    let context = context(of: start)
    let overdue = provider is ObjectProvider ? end.overdueStop : nil
    let task = Task(executorPreference: provider.executor) {
      await overdue?.value
      await provider.stop(context)
      await self.stopEnded(start.run)
    }
    guard overdue == nil else {
      // This `stop()` may share state with the overdue one: it is called after that one, and no task waits for it.
      end.overdueStop = task
      return stopEnded(start.run)
    }
    tasks[start.run] = RunningTask(task: task, run: ReadyRun(provider, start, context))
  }

  /// Gives up on a `stop()` that hasn't returned even after it was cancelled, and calls the next one.
  func giveUpStop(_ run: RunID) {
    guard let stopping = tasks[run] else { return }
    stopping.run.provider.forceStop(run: run)
    if isExclusive, stopping.run.provider is ObjectProvider { end.overdueStop = stopping.task }
  }

  private func stopEnded(_ run: RunID) {
    tasks[run] = nil
    try? apply(.stopEnded(run: run))
  }
}
