package import EventLoop
internal import InitLocks

/// A runner, for providers, which are created before it, and for what comes from other threads.
///
/// The reference is weak, because the runner's owner also owns the runs.
package final class RunnerReference: Sendable {
  private struct Content: @unchecked Sendable { weak var runner: Runner? }

  /// The isolation in which the runner is used.
  package let isolation: LoopActor
  private let content = Locked(Content())

  /// Creates a reference to nothing, for a runner on this loop.
  package init(loop: Loop) { isolation = LoopActor(loop) }

  /// The runner's loop.
  package var loop: Loop { isolation.loop }

  func refer(to runner: Runner) { content.withLock { $0 = Content(runner: runner) } }

  /// Returns the runner, on its loop's thread; nil if it is gone.
  func get() -> Runner? {
    loop.preconditionIsolated()
    return content.withLock { $0 }.runner
  }

  /// Calls a function with the runner soon, on its loop's thread.
  func perform(_ action: @escaping @Sendable (Runner) -> Void) {
    loop.perform { [self] in if let runner = get() { action(runner) } }
  }
}
