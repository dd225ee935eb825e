internal import InitWire

/// Keeps the app active (S23).
///
/// If the connection is lost, e.g. because the supervisor restarts, the app is activated and held again at the next supervisor.
public final class SupervisorHold: Sendable {
  private let keeper: HoldKeeper

  init(_ client: Client) async {
    keeper = HoldKeeper(client)
    await keeper.begin()
  }

  deinit { Task { [keeper] in await keeper.end() } }

  /// Releases the hold.
  ///
  /// Further calls have no effect.
  public func release() async { await keeper.end() }
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
  /// The hold has ended when this returns. If the supervisor ends before that, `body` continues, and the next supervisor holds the app
  /// again.
  ///
  /// - Throws: the errors of ``hold()``, and those of `body`.
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

/// Takes a hold again at the next supervisor, until it is ended.
private actor HoldKeeper {
  private var client: Client
  private var keeping: Task<Void, Never>?

  init(_ client: Client) { self.client = client }

  func begin() {
    keeping = Task {
      while let reason = await client.untilClosed(), reason != .closed {
        do throws(ClientError) {
          client = try await LostHold.reacquire(after: client)
        } catch {
          if error != .cancelled { StandardError.write("the app is no longer held active: \(SupervisorError(error))") }
          return
        }
      }
    }
  }

  func end() async {
    keeping?.cancel()
    await keeping?.value
    _ = try? await client.send(ReleaseRequest(), within: .seconds(2))
    await client.close()
  }
}
