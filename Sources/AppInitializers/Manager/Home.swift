/// The executor of a manager, and the object that must be kept alive for it.
package struct Home {
  let owner: AnyObject
  let executor: UnownedSerialExecutor

  /// An actor's executor, or a new one if there is no actor.
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
