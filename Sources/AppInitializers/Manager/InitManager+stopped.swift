extension InitManager {
  /// Waits until all runs that were asked to stop have stopped (S13).
  ///
  /// Other runs aren't waited for: launch continues.
  public func stopped() async {
    while let stopping = tasks.stopping { await stopping.task.value }
  }
}
