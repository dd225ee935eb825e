internal import InitLocks

/// Passes values to a stream in order, outside of the lock under which they were added.
///
/// Yielding resumes the task that waits for the stream, and the runtime locks that task for it. When a task is cancelled, the runtime locks
/// it too, and calls the handler that ends the observation under that lock. So yielding while holding one of our locks could deadlock with
/// a cancellation.
package final class Outbox<Value: Sendable>: Sendable {
  private struct Content: Sendable {
    var waiting: [Value] = []
    var isDelivering = false
    var hasEnded = false
  }

  private let content = Locked(Content())
  private let continuation: AsyncStream<Value>.Continuation
  private let backlog: Int

  /// Passes values to a stream.
  ///
  /// `backlog` is the maximum number of pending values; beyond it, the oldest are dropped.
  package init(_ continuation: AsyncStream<Value>.Continuation, backlog: Int) {
    self.continuation = continuation
    self.backlog = backlog
  }

  /// Adds a value; may be called under a lock.
  package func add(_ value: Value) {
    content.withLock { content in
      content.waiting.append(value)
      if content.waiting.count > backlog { content.waiting.removeFirst() }
    }
  }

  /// Passes the pending values on; must be called without a lock.
  ///
  /// If another thread is already doing this, that thread does it.
  package func deliver() {
    let isMine = content.withLock { content in
      defer { content.isDelivering = true }
      return !content.isDelivering
    }
    guard isMine else { return }
    while true {
      let (values, isEnd) = content.withLock { content in
        defer { content.waiting = [] }
        if content.waiting.isEmpty { content.isDelivering = false }
        return (content.waiting, content.waiting.isEmpty && content.hasEnded)
      }
      for value in values { continuation.yield(value) }
      if isEnd { continuation.finish() }
      if values.isEmpty { return }
    }
  }

  /// Ends the stream after the pending values; must be called without a lock.
  package func finish() {
    content.withLock { $0.hasEnded = true }
    deliver()
  }
}
