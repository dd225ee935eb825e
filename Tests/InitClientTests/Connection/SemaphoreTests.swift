import Synchronization
import TestSupport
import Testing

@testable import AppInitializersWorker
@testable import InitClient

@Suite("Semaphore")
struct SemaphoreTests {
  @Test("A place is free again after each run, even after one that threw; there is always one", arguments: [0, 1])
  func free(places: Int) async throws {
    let semaphore = Semaphore(places)
    for number in 0..<3 {
      #expect(try await semaphore.run { number } == number)
      await #expect(throws: CancellationError.self) { try await semaphore.run { throw CancellationError() } }
    }
  }

  @Test("A task that is cancelled before there is its turn throws, and takes no place, even a free one")
  func cancelledBefore() async {
    let semaphore = Semaphore(1)
    let hasRun = Mutex(false)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await semaphore.run { hasRun.withLock { $0 = true } }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!hasRun.withLock { $0 })
  }

  @Test("Waiting tasks enter in the order in which they came")
  func order() async throws {
    // On its loop, each task runs until it waits, before the next one starts.
    let loop = try Client.loop.get()
    let semaphore = Semaphore(1)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let first = Task(executorPreference: loop) { try await semaphore.run { for await _ in released {} } }
    let order = Monitor<[Int]>([])
    let others = (0..<5).map { number in
      Task(executorPreference: loop) { try await semaphore.run { order.withLock { $0.append(number) } } }
    }
    let last = Task(executorPreference: loop) { release.finish() }
    await last.value
    try await first.value
    for other in others { try await other.value }
    #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
  }

  @Test("A task that is cancelled while it waits leaves the line; the next one gets the place", arguments: 0..<100)
  func cancelledInLine(yields: Int) async throws {
    let semaphore = Semaphore(1)
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await semaphore.run {
        enter.finish()
        for await _ in released {}
      }
    }
    for await _ in entered {}
    let second = Task { try await semaphore.run {} }
    for _ in 0..<yields { await Task.yield() }
    second.cancel()
    let third = Task { try await semaphore.run { 3 } }
    await #expect(throws: CancellationError.self) { try await second.value }
    release.finish()
    try await first.value
    #expect(try await third.value == 3)
  }
}
