/// Keeps the app active (S23).
public final class SupervisorHold: Sendable {
  private let client: Client

  init(_ client: Client) { self.client = client }
  deinit { Task { [client] in await client.close() } }

  /// Releases the hold. Further calls have no effect.
  public func release() async {
    _ = try? await client.release(within: .seconds(2))
    await client.close()
  }
}

extension SupervisorClient {
  /// Keeps the app active while `body` runs (S23).
  ///
  /// ```swift
  /// try await client.withHold {
  ///   try await client.wait(for: .ready, timeout: .seconds(30))
  ///   try await importBooks()
  /// }
  /// ```
  ///
  /// The hold has ended when this returns. If the supervisor ends meanwhile, so does the hold, and `body` goes on.
  ///
  /// - Throws: the errors of ``hold()``, and what `body` throws.
  public func withHold<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async throws -> Value {
    let hold = try await hold()
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    // Released even if this task is cancelled.
    await Task { await hold.release() }.value
    return try result.get()
  }
}
