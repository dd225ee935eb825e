extension InitManager {
  /// Waits until all runs that were asked to stop have stopped (S13).
  ///
  /// It doesn't wait for other runs: launch continues.
  public func stopped() async {
    while let stopping = tasks.stopping { await stopping.task.value }
  }
}
