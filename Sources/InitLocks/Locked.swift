public import Synchronization

/// A value protected by a lock: the only kind of lock here.
///
/// It is a `Mutex` that the thread sanitizer understands. A contended `Mutex` is passed from one thread to the next by the kernel and by code
/// of the standard library, which the sanitizer doesn't see, so it reports races that don't exist. The turn, released by one thread and
/// acquired by the next, shows it the order; its value isn't used.
public struct Locked<Value>: ~Copyable, Sendable {
  @usableFromInline let value: Mutex<Value>
  @usableFromInline let turn = Atomic(false)

  /// Wraps a value.
  @inlinable public init(_ value: consuming sending Value) { self.value = Mutex(value) }

  /// Runs `body` while holding the lock.
  @inlinable public func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try value.withLock { value throws(Failure) in
      _ = turn.load(ordering: .acquiring)
      defer { turn.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }
}
