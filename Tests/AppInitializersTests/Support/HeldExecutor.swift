import InitLocks

@testable import AppInitializers

/// A task executor that runs jobs only when the test requests it.
final class HeldExecutor: TaskExecutor {
  private let held = Locked<[UnownedJob]?>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isHeld = held.withLock { held in
      held?.append(job)
      return held != nil
    }
    if !isHeld { run([job]) }
  }

  /// The number of waiters.
  var count: Int { held.withLock { $0?.count ?? 0 } }

  /// Runs queued jobs, and from now on new jobs, on the caller's thread.
  func release() {
    let jobs = held.withLock { held in
      defer { held = nil }
      return held ?? []
    }
    run(jobs)
  }

  private func run(_ jobs: [UnownedJob]) {
    for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
