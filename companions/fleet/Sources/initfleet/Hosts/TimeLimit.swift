internal import Etcd

/// Work with a time limit.
enum TimeLimit {
  /// Returns the result of the work, or nil if it takes longer.
  ///
  /// The work may continue after the timeout.
  @FleetActor static func race<Value: Sendable>(
    _ timeout: Duration?, _ work: @escaping @FleetActor () async throws -> Value
  ) async throws -> Value? {
    guard let timeout else { return try await work() }
    let first = First<Value>()
    return try await withCheckedThrowingContinuation { continuation in
      first.continuation = continuation
      let task = Task {
        do {
          first.resume(.success(try await work()))
        } catch {
          first.resume(.failure(error))
        }
      }
      Task {
        try await Task.sleep(for: timeout)
        first.resume(.success(nil))
        task.cancel()
      }
    }
  }

  /// Resumes a continuation once.
  @FleetActor private final class First<Value: Sendable> {
    var continuation: CheckedContinuation<Value?, any Error>?

    func resume(_ result: Result<Value?, any Error>) {
      continuation?.resume(with: result)
      continuation = nil
    }
  }
}
