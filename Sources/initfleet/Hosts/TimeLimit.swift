internal import EventLoop

/// Work with a time limit.
enum TimeLimit {
  /// Returns the result of the work, or nil if it takes longer.
  ///
  /// The work may continue after that.
  @ProgramLoop static func race<Value: Sendable>(
    _ timeout: Duration?, on loop: Loop, _ work: @escaping @ProgramLoop () async throws -> Value
  ) async throws -> Value? {
    guard let timeout else { return try await work() }
    let first = First<Value>()
    return try await withCheckedThrowingContinuation { continuation in
      first.continuation = continuation
      let task = Task(executorPreference: loop) {
        do {
          await first.resume(.success(try await work()))
        } catch {
          await first.resume(.failure(error))
        }
      }
      Task(executorPreference: loop) {
        try await Task.sleep(for: timeout)
        await first.resume(.success(nil))
        task.cancel()
      }
    }
  }

  /// Resumes a continuation once.
  @ProgramLoop private final class First<Value: Sendable> {
    var continuation: CheckedContinuation<Value?, any Error>?

    func resume(_ result: Result<Value?, any Error>) {
      continuation?.resume(with: result)
      continuation = nil
    }
  }
}
