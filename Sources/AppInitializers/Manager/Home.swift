/// Where a manager lives: an executor, and who has to be kept alive for it.
package struct Home {
  let owner: AnyObject
  let executor: UnownedSerialExecutor

  /// An actor's executor; one of its own where there is no actor.
  init(_ actor: (any Actor)?) {
    let actor = actor ?? Own()
    owner = actor
    executor = actor.unownedExecutor
  }

  /// An executor.
  package init(_ executor: some SerialExecutor) {
    owner = executor
    self.executor = executor.asUnownedSerialExecutor()
  }

  private actor Own {}
}
