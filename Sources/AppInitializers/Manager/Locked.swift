internal import Synchronization

/// A value behind a lock.
///
/// On Linux the kernel passes a lock that is waited for from one thread to the next, unseen by the thread sanitizer, which then takes
/// what the lock orders for a race. The turn, released by one and acquired by the next, shows it that order; nothing reads its value.
package struct Locked<Value: Sendable>: ~Copyable, Sendable {
  private let value: Mutex<Value>
  private let turn = Atomic(false)

  /// Locks a value away.
  package init(_ value: Value) { self.value = Mutex(value) }

  /// Runs `body` with the value locked.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    value.withLock { value in
      _ = turn.load(ordering: .acquiring)
      defer { turn.store(true, ordering: .releasing) }
      return body(&value)
    }
  }
}
