internal import Glibc

/// A counting semaphore, on which threads sleep.
package final class WakeUps: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  /// Creates the semaphore with the value 0.
  package init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Sleeps until there is a wake-up for this thread.
  package func wait() { while sem_wait(semaphore) != 0 {} }

  /// Wakes one thread: a sleeping thread, or the next thread that would sleep.
  package func wake() { sem_post(semaphore) }
}
