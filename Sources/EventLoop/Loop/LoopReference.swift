internal import InitLocks

/// A weak reference to an object that only a loop's thread uses, for what begins elsewhere: on other threads, and in tasks.
package final class LoopReference<Object: AnyObject>: Sendable {
  private struct Content: @unchecked Sendable { weak var object: Object? }

  /// The isolation in which the object is used.
  package let isolation: LoopActor
  private let content = Locked(Content())

  /// Creates a reference to nothing, for an object of this loop.
  package init(loop: Loop) { isolation = LoopActor(loop) }

  /// The object's loop.
  package var loop: Loop { isolation.loop }

  /// Refers to an object from now on.
  package func refer(to object: Object) {
    loop.preconditionIsolated()
    content.withLock { $0 = Content(object: object) }
  }

  /// Returns the object, on its loop's thread; nil if it is gone.
  package func get() -> Object? {
    loop.preconditionIsolated()
    return content.withLock { $0 }.object
  }

  /// Calls a function with the object soon, on its loop's thread.
  package func perform(_ action: @escaping @Sendable (Object) -> Void) {
    loop.perform { [self] in if let object = get() { action(object) } }
  }
}
