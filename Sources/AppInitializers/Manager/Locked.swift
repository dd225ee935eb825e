internal import Synchronization

/// A value protected by a lock.
///
/// On Linux the kernel passes a contended lock from one thread to the next. The thread sanitizer doesn't see this, and reports races that
/// don't exist. The turn, released by one thread and acquired by the next, shows it the order; its value isn't used.
package struct Locked<Value: Sendable>: ~Copyable, Sendable {
  private let value: Mutex<Value>
  private let turn = Atomic(false)

  /// Wraps a value.
  package init(_ value: Value) { self.value = Mutex(value) }

  /// Runs `body` while holding the lock.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    value.withLock { value in
      _ = turn.load(ordering: .acquiring)
      defer { turn.store(true, ordering: .releasing) }
      return body(&value)
    }
  }
}
