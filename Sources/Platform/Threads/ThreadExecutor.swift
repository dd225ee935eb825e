internal import DequeModule
internal import InitLocks

// Swift's own pool has as many threads as the machine has cores: a few blocking initializers would stop all other tasks. Invariants: a job
// gets an idle thread if there is one, otherwise a new one, and waits only when `maximumThreads` are at work. A thread without a job sleeps
// in the kernel and is kept. Threads don't spin, and aren't woken without a job. If the system has no more threads, a job waits for the
// existing ones; without any thread, it waits for the next job or `start()`.

/// A task executor with separate threads, for code that may block: a blocked job delays no other job.
///
/// Use it as a task's `executorPreference`. When the executor is deallocated, its threads end after the queued jobs.
public final class ThreadExecutor: TaskExecutor {
  private let pool: Pool
  private let name: String

  /// What the threads share.
  ///
  /// The threads have no reference to the executor, so it is deallocated while they sleep.
  private final class Pool: Sendable {
    let content: Locked<Content>
    let wakeUps = WakeUps()

    init(maximumThreads: Int) { content = Locked(Content(maximumThreads: maximumThreads)) }
  }

  private struct Content {
    let maximumThreads: Int
    /// Queued jobs, the oldest first, each with its executor.
    var jobs = Deque<(job: UnownedJob, executor: UnownedTaskExecutor)>()
    var threads = 0
    /// Threads that sleep, and have not been woken.
    var idleThreads = 0
    var isClosed = false

    /// What a thread does next.
    ///
    /// A thread that will sleep counts as idle; a thread that will end doesn't count any more.
    mutating func next() -> Next {
      if let job = jobs.popFirst() { return .run(job.job, job.executor) }
      if isClosed {
        threads -= 1
        return .end
      }
      idleThreads += 1
      return .sleep
    }
  }

  private enum Next {
    case run(UnownedJob, UnownedTaskExecutor)
    case sleep
    case end
  }

  /// Creates an executor without threads; they are created for jobs, up to `maximumThreads` (at least 1).
  public init(name: String = "blocking", maximumThreads: Int = 64) {
    self.name = name
    pool = Pool(maximumThreads: max(1, maximumThreads))
  }

  deinit {
    let sleeping = pool.content.withLock { content in
      content.isClosed = true
      defer { content.idleThreads = 0 }
      return content.idleThreads
    }
    for _ in 0..<sleeping { pool.wakeUps.wake() }
  }

  /// The number of threads, busy and idle.
  public var threadCount: Int { pool.content.withLock { $0.threads } }

  /// The number of threads that wait for a job.
  var idleThreadCount: Int { pool.content.withLock { $0.idleThreads } }

  /// Creates the first thread, unless a thread exists.
  ///
  /// After that, every job runs, even if the system has no more threads.
  ///
  /// - Throws: why the thread can't be created.
  public func start() throws(SystemError) {
    let isFirst = pool.content.withLock { content in
      guard content.threads == 0 else { return false }
      content.threads = 1
      return true
    }
    if isFirst { try startThread() }
  }

  /// Runs a job on one of the threads.
  ///
  /// May be called from any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    let wakesThread: Bool? = pool.content.withLock { content in
      content.jobs.append((job, executor))
      if content.idleThreads > 0 {
        content.idleThreads -= 1
        return true
      }
      guard content.threads < content.maximumThreads else { return nil }
      content.threads += 1
      return false
    }
    switch wakesThread {
    case true?: pool.wakeUps.wake()
    // If no other thread can be created, the job waits for an existing one.
    case false?: try? startThread()
    case nil: break
    }
  }

  /// Starts a thread that has been counted.
  private func startThread() throws(SystemError) {
    do {
      try PlatformThread.start(name: name) { [pool] in ThreadExecutor.work(pool) }
    } catch {
      pool.content.withLock { $0.threads -= 1 }
      throw error
    }
  }

  /// Executes jobs: the main function of a thread.
  private static func work(_ pool: Pool) {
    while true {
      switch pool.content.withLock({ $0.next() }) {
      case .run(let job, let executor): job.runSynchronously(on: executor)
      case .sleep: pool.wakeUps.wait()
      case .end: return
      }
    }
  }
}
