extension InitManager {
  /// Waits until nothing that was told to stop runs any more (S13).
  ///
  /// Runs that weren't told to stop are not waited for: launch goes on.
  public func stopped() async {
    while let stopping = tasks.values.first(where: { $0.context.cancellation != nil }) { await stopping.task.value }
  }
}
