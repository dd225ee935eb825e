internal import DequeModule

// Swift's own pool has as many threads as the machine has cores: a few blocking initializers would stop all other tasks. Invariants: a job
// gets an idle thread if there is one, else a new one, and waits only when `maximumThreads` are at work. A thread without a job sleeps in
// the kernel and is kept; none spins, none is woken for nothing. If the system has no more threads, a job waits for the existing ones; if
// there are none, for the next job or `start()`.

/// A task executor with separate threads, for code that may block: a blocked job delays no other job.
///
/// Use it as a task's `executorPreference`. When the executor is deallocated, its threads end after the queued jobs.
public final class ThreadExecutor: TaskExecutor {
  private let pool: Monitor<Pool>
  private let name: String

  private struct Pool {
    let maximumThreads: Int
    /// Queued jobs, the oldest first, each with its executor.
    var jobs = Deque<(job: UnownedJob, executor: UnownedTaskExecutor)>()
    var threads = 0
    /// Threads that sleep, or have been woken for a job that they haven't taken yet.
    var idleThreads = 0
    var isClosed = false

    /// Counts a thread that is about to be started, if it is needed; returns whether it is.
    mutating func claimThread(if isNeeded: Bool) -> Bool {
      if isNeeded { threads += 1 }
      return isNeeded
    }
  }

  /// An executor without threads; they are created for jobs, up to `maximumThreads` (at least 1).
  public init(name: String = "blocking", maximumThreads: Int = 64) {
    self.name = name
    pool = Monitor(Pool(maximumThreads: max(1, maximumThreads)))
  }

  deinit {
    pool.withLock { $0.isClosed = true }
    pool.broadcast()
  }

  /// The number of threads, busy and idle.
  public var threadCount: Int { pool.withLock { $0.threads } }

  /// The number of threads that wait for a job.
  var idleThreadCount: Int { pool.withLock { $0.idleThreads } }

  /// Creates the first thread, if there is none. Then every job runs, even if the system has no more threads.
  ///
  /// - Throws: why the thread can't be created.
  public func start() throws(SystemError) {
    guard pool.withLock({ $0.claimThread(if: $0.threads == 0) }) else { return }
    try startThread()
  }

  /// Runs a job on one of the threads. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    let needsThread = pool.withLock { pool in
      pool.jobs.append((job, executor))
      return pool.claimThread(if: pool.jobs.count > pool.idleThreads && pool.threads < pool.maximumThreads)
    }
    if needsThread, (try? startThread()) != nil { return }
    pool.signal()
  }

  /// Starts a thread that `claimThread` has counted.
  private func startThread() throws(SystemError) {
    do {
      try PlatformThread.start(name: name) { [pool] in ThreadExecutor.work(pool) }
    } catch {
      pool.withLock { $0.threads -= 1 }
      throw error
    }
  }

  /// The main function of a thread.
  private static func work(_ pool: Monitor<Pool>) {
    while true {
      let job = pool.withLock { $0.jobs.popFirst() } ?? sleepForJob(pool)
      guard let job else { return }
      job.job.runSynchronously(on: job.executor)
    }
  }

  /// Nil if the executor is deallocated and no job is left.
  private static func sleepForJob(_ pool: Monitor<Pool>) -> (job: UnownedJob, executor: UnownedTaskExecutor)? {
    pool.withLock { $0.idleThreads += 1 }
    return pool.wait { pool in
      if let job = pool.jobs.popFirst() {
        pool.idleThreads -= 1
        return .some(job)
      }
      guard pool.isClosed else { return nil }
      pool.idleThreads -= 1
      pool.threads -= 1
      return .some(nil)
    }
  }
}
