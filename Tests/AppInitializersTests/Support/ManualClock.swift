import InitLocks

@testable import AppInitializers

/// A clock that the test moves.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Content: Sendable {
    var now = Instant(offset: .zero)
    var lastSleeper = 0
    var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var left: Set<Int> = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let content = Locked(Content())

  var now: Instant { content.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = content.withLock { content in
      content.lastSleeper += 1
      return content.lastSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let (isOver, watchers): (Result<Void, any Error>?, _) = content.withLock { content in
          defer { content.watchers = [] }
          if content.left.contains(number) { return (.failure(CancellationError()), content.watchers) }
          if deadline <= content.now { return (.success(()), content.watchers) }
          content.sleepers[number] = (deadline, continuation)
          return (nil, content.watchers)
        }
        if let isOver { continuation.resume(with: isOver) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = content.withLock { content in
        content.left.insert(number)
        return content.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock, and wakes all tasks whose deadline has passed.
  func advance(by span: Duration) {
    let woken = content.withLock { content in
      content.now = content.now.advanced(by: span)
      let woken = content.sleepers.filter { $0.value.deadline <= content.now }
      for number in woken.keys { content.sleepers[number] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Waits until a task sleeps.
  func hasSleeper() async {
    await withCheckedContinuation { continuation in
      let isThere = content.withLock { content in
        if content.sleepers.isEmpty { content.watchers.append(continuation) }
        return !content.sleepers.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }
}
