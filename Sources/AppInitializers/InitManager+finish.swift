internal import InitCore

extension InitManager: Initialization {
  /// Ends it, for a program that is about to end: what runs is cancelled, launch included, and has stopped when this returns; nothing starts any
  /// more, whatever the manager is told (S24). The sequences of its states end.
  public func finish() async {
    stopFollowing()
    try? apply(.shutdownRequested)
    while let running = tasks.values.first { await running.task.value }
    endStates()
  }
}
