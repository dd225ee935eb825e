import Glibc

/// Where code that blocks arrives, and stays until the test lets it go on; for threads, not for tasks.
final class Barrier: @unchecked Sendable {
  private let arrivals = Barrier.semaphore()
  private let permits = Barrier.semaphore()

  deinit {
    for semaphore in [arrivals, permits] {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }
  }

  /// Arrives, and blocks its thread until it is let go.
  func enter() throws {
    sem_post(arrivals)
    try Self.wait(for: permits)
  }

  /// Blocks until so many more have arrived.
  func arrived(_ count: Int = 1) throws { for _ in 0..<count { try Self.wait(for: arrivals) } }

  /// Lets so many go on, be they here or yet to come.
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
