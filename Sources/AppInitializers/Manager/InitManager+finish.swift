internal import InitCore

extension InitManager: Initialization {
  /// Ends it, for a program that is about to end (S24). Nothing starts any more, whatever the manager is told.
  ///
  /// What runs is cancelled, launch included. When it has stopped, ``AppInitializer/stop()`` of each initializer that has completed is called,
  /// one after the other, in the reverse order of completion. All that is over when this returns, and the sequences of its states end.
  ///
  /// A `stop()` that takes longer than 10 s has its task cancelled. If it hasn't returned 5 s later, the next one is called all the same; but if
  /// the objects aren't `Sendable`, and so may share state, the others are called when it has returned, and this doesn't wait for them.
  public func finish() async {
    stopFollowing()
    try? apply(.shutdownRequested)
    if !isFinished { await withCheckedContinuation { finishers.append($0) } }
    endStates()
  }

  /// Has a provider release what a completed run has set up.
  func stop(_ start: RunStart) {
    guard let provider = providers[start.initializer] else { return stopEnded(start.run) }
    let context = RunContext(start, manager: self, roster: roster)
    let overdue = provider is ObjectProvider ? overdueStop : nil
    let task = Task(executorPreference: provider.executor) {
      await overdue?.value
      await provider.stop(context)
      await self.stopEnded(start.run)
    }
    guard overdue == nil else {
      // It may share state with the one that hasn't returned: its turn comes after that, and nothing waits for it.
      overdueStop = task
      return stopEnded(start.run)
    }
    tasks[start.run] = RunningTask(task: task, provider: provider, context: context)
  }

  /// A `stop()` wasn't done in time, nor after it was cancelled: the next one's turn comes.
  func giveUpStop(_ run: Int) {
    guard let stopping = tasks[run] else { return }
    stopping.provider.forceStop(run: run)
    if isExclusive, stopping.provider is ObjectProvider { overdueStop = stopping.task }
  }

  private func stopEnded(_ run: Int) {
    tasks[run] = nil
    try? apply(.stopEnded(run: run))
  }
}
