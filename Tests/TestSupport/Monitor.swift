internal import Glibc

/// A value, its lock, and a condition to sleep on until the value has changed.
package final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  @usableFromInline var value: Value

  /// Wraps a value, not locked.
  package init(_ value: consuming sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the value locked.
  @inlinable package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    lock()
    defer { unlock() }
    return try body(&value)
  }

  /// Waits until `body` returns a result.
  ///
  /// It is called at once, and again after each `signal`.
  @inlinable package func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
    lock()
    defer { unlock() }
    while true {
      if let result = body(&value) { return result }
      sleep()
    }
  }

  @usableFromInline func lock() { pthread_mutex_lock(mutex) }

  @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

  /// Releases the lock until the next signal.
  @usableFromInline func sleep() { pthread_cond_wait(condition, mutex) }

  /// Wakes one sleeper.
  package func signal() { pthread_cond_signal(condition) }

  /// Wakes all sleepers.
  package func broadcast() { pthread_cond_broadcast(condition) }
}
