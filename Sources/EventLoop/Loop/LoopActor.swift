/// The isolation of asynchronous code that uses a loop's objects: it runs on the loop's thread.
package actor LoopActor {
  /// The loop.
  package nonisolated let loop: Loop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates the isolation of this loop.
  package init(_ loop: Loop) { self.loop = loop }
}
