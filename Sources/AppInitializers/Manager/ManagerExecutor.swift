/// The executor of a manager, and the object that must be kept alive for it.
package struct ManagerExecutor: Sendable {
  /// It.
  let unowned: UnownedSerialExecutor
  private let owner: any Sendable & AnyObject

  /// An actor's executor, or a new one if there is no actor.
  init(_ actor: (any Actor)?) {
    let actor = actor ?? Own()
    owner = actor
    unowned = actor.unownedExecutor
  }

  /// An executor.
  package init(_ executor: some SerialExecutor) {
    owner = executor
    unowned = executor.asUnownedSerialExecutor()
  }

  private actor Own {}
}
