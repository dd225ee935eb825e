import Glibc

/// A gate for blocking code: threads, not tasks, wait at it until the test opens it.
final class Barrier: @unchecked Sendable {
  private let arrivals = Barrier.semaphore()
  private let permits = Barrier.semaphore()

  deinit {
    for semaphore in [arrivals, permits] {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }
  }

  /// Arrives at the barrier, and blocks the thread until it is released.
  func enter() throws {
    sem_post(arrivals)
    try Self.wait(for: permits)
  }

  /// Blocks until this many more have arrived.
  func arrived(_ count: Int = 1) throws { for _ in 0..<count { try Self.wait(for: arrivals) } }

  /// Releases this many threads, including threads that arrive later.
  func letGo(_ count: Int = 1) { for _ in 0..<count { sem_post(permits) } }

  private static func semaphore() -> UnsafeMutablePointer<sem_t> {
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
    return semaphore
  }

  private static func wait(for semaphore: UnsafeMutablePointer<sem_t>) throws {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += Patience.seconds
    while sem_timedwait(semaphore, &deadline) != 0 { guard errno == EINTR else { throw Stuck() } }
  }
}
