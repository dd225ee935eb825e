/// Hands values to a stream outside of the lock under which they were taken, in order.
///
/// To yield resumes the task that waits for the stream, for which the runtime locks that task. It also locks a task that is cancelled, and calls
/// what ends the observation under that lock. So whoever yields under a lock of ours may wait for a canceller that waits for the same lock.
package final class Outbox<Value: Sendable>: Sendable {
  private struct Content: Sendable {
    var waiting: [Value] = []
    var isDelivering = false
    var hasEnded = false
  }

  private let content = Locked(Content())
  private let continuation: AsyncStream<Value>.Continuation
  private let backlog: Int

  /// Hands on to a stream.
  ///
  /// - Parameter backlog: how many values are kept that haven't been handed on; the oldest go first.
  package init(_ continuation: AsyncStream<Value>.Continuation, backlog: Int) {
    self.continuation = continuation
    self.backlog = backlog
  }

  /// Keeps a value; may be called under a lock.
  package func take(_ value: Value) {
    content.withLock { content in
      content.waiting.append(value)
      if content.waiting.count > backlog { content.waiting.removeFirst() }
    }
  }

  /// Hands on what is kept; to be called without a lock. If another thread is about it, that thread does.
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

  /// Ends the stream behind what is kept; to be called without a lock.
  package func finish() {
    content.withLock { $0.hasEnded = true }
    deliver()
  }
}
