package import EventLoop
internal import InitJSON
package import InitWire

// Invariants:
//
// 1. Each claim is answered once, unless it was ended by `unclaim` or by the loss of the connection: then its task is cancelled.
// 2. When the connection is lost, `onLost` is called after all tasks of claims were cancelled. Then the service connects again.

/// A coordinator: it decides which host runs the initializers that are marked `once` (PROTOCOL.md, "The coordinator").
package actor CoordinatorService {
  /// The functions that decide.
  ///
  /// All are called on the loop's thread.
  package struct Handlers: Sendable {
    /// The service is the coordinator, for the first time or again.
    ///
    /// The client is for requests, until `onLost`.
    package var onReady: @Sendable (CoordinateResult, Client) -> Void
    /// The connection is lost.
    package var onLost: @Sendable (ClientError) -> Void
    /// Decides about a claim; the task is cancelled when the claim has ended.
    ///
    /// An error is the supervisor's error of the attempt.
    package var claim: @Sendable (ClaimParams) async throws -> ClaimResult
    /// Records a completion.
    package var complete: @Sendable (CompleteParams) async throws -> Void
    /// A claim has ended without a completion.
    package var unclaim: @Sendable (UnclaimParams) -> Void

    package init(
      onReady: @escaping @Sendable (CoordinateResult, Client) -> Void,
      onLost: @escaping @Sendable (ClientError) -> Void,
      claim: @escaping @Sendable (ClaimParams) async throws -> ClaimResult,
      complete: @escaping @Sendable (CompleteParams) async throws -> Void,
      unclaim: @escaping @Sendable (UnclaimParams) -> Void
    ) {
      self.onReady = onReady
      self.onLost = onLost
      self.claim = claim
      self.complete = complete
      self.unclaim = unclaim
    }
  }

  /// The loop as an executor.
  package nonisolated let loop: Loop
  /// The loop.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let path: String
  private let program: ProgramShape
  private let handlers: Handlers
  private var client: Client?
  /// The tasks of open requests, by run.
  private var tasks: [Int: Task<Void, Never>] = [:]

  /// Creates a coordinator; `serve` starts it.
  ///
  /// - Parameters:
  ///   - loop: its event loop.
  ///   - path: the supervisor's socket.
  ///   - program: its name and version.
  ///   - handlers: the functions that decide.
  package init(loop: Loop, path: String, program: ProgramShape, handlers: Handlers) {
    self.loop = loop
    self.path = path
    self.program = program
    self.handlers = handlers
  }

  /// Coordinates until the calling task is cancelled.
  ///
  /// When the connection is lost, it connects again.
  ///
  /// - Parameter within: how long to wait the first time for a supervisor that isn't running yet; nil to not wait.
  /// - Throws: `ClientError` if the first offer fails.
  package func serve(within: Duration? = nil) async throws(ClientError) {
    var backoff = Backoff.reconnecting
    var wasReady = false
    while !Task.isCancelled {
      do throws(ClientError) {
        let client = try await Client.connect(loop: loop, path: path, program: program, within: wasReady ? nil : within)
        let offer = try await offer(client)
        self.client = client
        wasReady = true
        backoff.reset()
        handlers.onReady(offer, client)
        let reason = await client.untilClosed()
        self.client = nil
        cancelAll()
        guard let reason else { return await client.close() }
        handlers.onLost(reason)
      } catch {
        guard !Task.isCancelled else { return }
        guard wasReady else { throw error }
      }
      await Sleep.on(loop, for: backoff.next())
    }
  }

  private func offer(_ client: Client) async throws(ClientError) -> CoordinateResult {
    await client.setListener(
      ClientListener(
        onClaim: { [weak self, weak client] id, claim in
          guard let self, let client else { return }
          assumeIsolated { $0.handle(claim, id, client) }
        },
        onComplete: { [weak self, weak client] id, complete in
          guard let self, let client else { return }
          assumeIsolated { $0.handle(complete, id, client) }
        },
        onUnclaim: { [weak self] unclaim in self?.assumeIsolated { $0.handle(unclaim) } }))
    return try await client.read(try await client.request(.coordinate), as: CoordinateResult.self)
  }

  private func handle(_ claim: ClaimParams, _ id: RequestID, _ client: Client) {
    tasks[claim.run] = Task(executorPreference: loop) { [handlers] in
      let outcome: Result<RawJSON, WireError>
      do {
        outcome = .success(try RawJSON(checking: try await handlers.claim(claim).json()))
      } catch {
        outcome = .failure(.answer(error))
      }
      await self.answer(claim.run, id, outcome, client)
    }
  }

  private func handle(_ complete: CompleteParams, _ id: RequestID, _ client: Client) {
    tasks[complete.run] = Task(executorPreference: loop) { [handlers] in
      let outcome: Result<RawJSON, WireError>
      do {
        try await handlers.complete(complete)
        outcome = .success(.emptyObject)
      } catch {
        outcome = .failure(.answer(error))
      }
      await self.answer(complete.run, id, outcome, client)
    }
  }

  private func answer(
    _ run: Int, _ id: RequestID, _ outcome: Result<RawJSON, WireError>, _ client: Client
  ) async {
    guard !Task.isCancelled else { return }
    tasks[run] = nil
    await client.answer(id, outcome)
  }

  private func handle(_ unclaim: UnclaimParams) {
    tasks.removeValue(forKey: unclaim.run)?.cancel()
    handlers.unclaim(unclaim)
  }

  private func cancelAll() {
    for task in tasks.values { task.cancel() }
    tasks = [:]
  }

  // MARK: To the supervisor

  /// Shows the cause that a run waits for.
  package func report(_ progress: ProgressParams) async { await client?.report(progress) }

  /// Extends a claim.
  package func renew(_ params: RenewParams) async { await client?.notify(.renew(params)) }

  /// Reports a lost claim.
  package func revoke(_ params: RevokeParams) async { await client?.notify(.revoke(params)) }
}
