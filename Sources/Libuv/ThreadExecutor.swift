internal import DequeModule

// Swift's own pool has as many threads as the machine has cores; two initializers that block would stop everybody else's.
// The law: a job gets an idle thread if there is one, else a new one, and waits only when `maximumThreads` are at work.
// A thread without a job sleeps in the kernel and is kept; none spins, none is woken for nothing.

/// A task executor with threads of its own, for code that may block: a blocked job delays nothing but itself.
///
/// Use it as a task's `executorPreference`. When the executor is dropped, its threads end with the jobs still queued.
public final class ThreadExecutor: TaskExecutor {
  private let pool: Monitor<Pool>
  private let name: String

  private struct Pool {
    let maximumThreads: Int
    /// Jobs that no thread has taken yet, the oldest first, each with the executor that it runs on.
    var jobs = Deque<(job: UnownedJob, executor: UnownedTaskExecutor)>()
    var threads = 0
    /// Threads that sleep, or have been woken for a job that they haven't taken yet.
    var idleThreads = 0
    var isClosed = false
  }

  /// An executor without threads yet; they come with the jobs, `maximumThreads` at most (1 at the least).
  public init(name: String = "blocking", maximumThreads: Int = 64) {
    self.name = name
    pool = Monitor(Pool(maximumThreads: max(1, maximumThreads)))
  }

  deinit {
    pool.withLock { $0.isClosed = true }
    pool.broadcast()
  }

  /// Threads there are now, busy and idle.
  public var threadCount: Int { pool.withLock { $0.threads } }

  /// Threads that wait for a job.
  var idleThreadCount: Int { pool.withLock { $0.idleThreads } }

  /// Runs a job on one of the threads. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    let needsThread = pool.withLock { pool in
      pool.jobs.append((job, executor))
      guard pool.jobs.count > pool.idleThreads, pool.threads < pool.maximumThreads else { return false }
      pool.threads += 1
      return true
    }
    if needsThread { startThread() } else { pool.signal() }
  }

  private func startThread() {
    do throws(SystemError) {
      try PlatformThread.start(name: name) { [pool] in ThreadExecutor.work(pool) }
    } catch {
      // With other threads there, the job waits for one of them; with none, nobody would ever run it.
      let remaining = pool.withLock { pool in
        pool.threads -= 1
        return pool.threads
      }
      precondition(remaining > 0, "\(error): raise the limit on threads")
    }
  }

  /// A thread's life.
  private static func work(_ pool: Monitor<Pool>) {
    while true {
      let job = pool.withLock { $0.jobs.popFirst() } ?? sleepForJob(pool)
      guard let job else { return }
      job.job.runSynchronously(on: job.executor)
    }
  }

  /// Nil when the executor is gone and nothing is left to do.
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
