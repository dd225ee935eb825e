internal import InitLocks

/// A semaphore: limits concurrency; waiting tasks enter in order.
final class Semaphore: Sendable {
  private struct Content {
    var free: Int
    var last = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let content: Locked<Content>

  /// Creates a semaphore with at least one place.
  init(_ places: Int) { content = Locked(Content(free: max(1, places))) }

  /// Runs `body` when a place is free.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before that, or the error of `body`.
  func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    guard await enter() else { throw CancellationError() }
    defer { leave() }
    return try await body()
  }

  private func enter() async -> Bool {
    let number = content.withLock { content in
      content.last += 1
      return content.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = content.withLock { content in
          if Task.isCancelled { return false }
          if content.free > 0 {
            content.free -= 1
            return true
          }
          content.waiting.append((number, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiting = content.withLock { content in
        content.waiting.firstIndex { $0.number == number }.map { content.waiting.remove(at: $0) }
      }
      waiting?.continuation.resume(returning: false)
    }
  }

  private func leave() {
    let next: CheckedContinuation<Bool, Never>? = content.withLock { content in
      guard !content.waiting.isEmpty else {
        content.free += 1
        return nil
      }
      return content.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
