import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("ThreadExecutor")
struct ThreadExecutorTests {
  @Test("Blocked jobs delay no other jobs, even if there are more of them than cores")
  func blocking() async {
    let executor = ThreadExecutor(name: "blocking")
    let arrived = Monitor(0)
    let count = 24
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask(executorPreference: executor) {
          // Each job waits until all have started: with fewer threads they would wait forever.
          arrived.withLock { $0 += 1 }
          arrived.broadcast()
          arrived.wait { $0 == count ? () : nil }
        }
      }
    }
    #expect(executor.threadCount == count)
  }

  @Test("The number of threads is bounded, and every job runs")
  func maximum() async {
    let executor = ThreadExecutor(name: "few", maximumThreads: 2)
    let running = Monitor((now: 0, most: 0, done: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask(executorPreference: executor) {
          running.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          sched_yield()
          running.withLock {
            $0.now -= 1
            $0.done += 1
          }
        }
      }
    }
    #expect(running.withLock { $0.most } <= 2)
    #expect(running.withLock { $0.done } == 200)
    #expect(executor.threadCount <= 2)
  }

  @Test("An idle thread is reused")
  func reuse() async {
    let executor = ThreadExecutor(name: "reuse")
    for _ in 0..<20 {
      await Task(executorPreference: executor) {}.value
      #expect(await eventually { executor.idleThreadCount == 1 })
    }
    #expect(executor.threadCount == 1)
  }

  @Test(
    "A second job doesn't wait for a blocked first one, even if the only idle thread was woken for the first"
  )
  func secondJob() async {
    for _ in 0..<50 {
      let executor = ThreadExecutor(name: "second")
      await Task(executorPreference: executor) {}.value
      #expect(await eventually { executor.idleThreadCount == 1 })
      let isSecondDone = Monitor(false)
      let first = Task(executorPreference: executor) { isSecondDone.wait { $0 ? () : nil } }
      Task(executorPreference: executor) {
        isSecondDone.withLock { $0 = true }
        isSecondDone.signal()
      }
      guard await eventually({ isSecondDone.withLock { $0 } }) else {
        isSecondDone.withLock { $0 = true }
        isSecondDone.signal()
        return #expect(Bool(false), "the second job waits for the first")
      }
      await first.value
    }
  }

  @Test("The threads end with the executor")
  func end() async {
    do {
      let executor = ThreadExecutor(name: "ends-with-it")
      await Task(executorPreference: executor) {}.value
      #expect(threads(named: "ends-with-it") == 1)
    }
    #expect(await eventually { threads(named: "ends-with-it") == 0 })
  }
}

/// The number of threads of this process with that name.
private func threads(named name: String) -> Int {
  guard let directory = opendir("/proc/self/task") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while let entry = readdir(directory) {
    let thread = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    let file = open("/proc/self/task/\(thread)/comm", O_RDONLY | O_CLOEXEC)
    if file >= 0, Descriptor(owning: file).readToEnd() == "\(name)\n" { count += 1 }
  }
  return count
}
