import Synchronization
import Testing

@testable import InitClient

@Suite("Semaphore")
struct SemaphoreTests {
  @Test("A place is free again after each run, also after one that threw, and if nobody waited for it")
  func free() async throws {
    let semaphore = Semaphore(1)
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
