/// The executor of a manager, and the object that must be kept alive for it.
package struct ManagerExecutor: Sendable {
  /// The executor itself.
  let unowned: UnownedSerialExecutor
  private let owner: any Sendable & AnyObject

  /// Uses an actor's executor, or a new one if there is no actor.
  init(_ actor: (any Actor)?) {
    let actor = actor ?? Own()
    owner = actor
    unowned = actor.unownedExecutor
  }

  /// Uses an executor.
  package init(_ executor: some SerialExecutor) {
    owner = executor
    unowned = executor.asUnownedSerialExecutor()
  }

  private actor Own {}
}
