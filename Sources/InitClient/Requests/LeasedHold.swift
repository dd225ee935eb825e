internal import EventLoop
internal import InitJSON
internal import InitModel
internal import InitText
internal import InitWire
internal import InitWords

/// Keeps the app active until an instant that is renewed: for an app that must be active on one host at a time.
///
/// The supervisor deactivates the app before that instant, even if this process has stopped. A supervisor has one such hold. Get it with
/// ``SupervisorClient/hold(until:fence:)``.
public actor LeasedHold {
  /// Why the app isn't held active any more.
  public enum Loss: Sendable, Hashable {
    /// The activation has failed, for this reason.
    case activationFailed(String)
    /// The app was deactivated: by a request, or because the hold wasn't renewed in time.
    case deactivated
    /// The supervisor has shut down, and everything that it ran has stopped.
    case supervisorEnded
    /// The connection is lost; the app may still be active until the instant.
    case connectionLost(SupervisorError)
  }

  nonisolated let loop: Loop
  /// The thread of all clients.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// The number of the pass that activates the app.
  public nonisolated let pass: Int
  /// How long runs take to stop at most.
  public nonisolated let cancelGrace: Duration
  /// The reason of the loss: one value, then the sequence ends.
  public nonisolated let losses: AsyncStream<Loss>
  private let continuation: AsyncStream<Loss>.Continuation
  private let client: Client
  private var following: [Task<Void, Never>] = []

  /// Takes the hold on a connection of its own.
  init(_ client: Client, until end: ContinuousClock.Instant, fence: Int?) async throws(ClientError) {
    self.client = client
    loop = client.loop
    (losses, continuation) = AsyncStream.makeStream()
    let lease = Lease(until: end, client.loop)
    let params = ActivateRequest(hold: true, lease: lease.seconds, at: lease.at, boot: lease.boot, fence: fence)
    let activation = try await client.send(params)
    pass = activation.pass
    cancelGrace = .seconds(activation.cancelGrace ?? 0)
    let events = try await client.subscribe(to: [.lifecycle])
    follow(events)
  }

  deinit {
    for task in following { task.cancel() }
    Task { [client] in await client.close() }
  }

  private func follow(_ events: EventSequence) {
    let (client, pass, continuation) = (client, pass, continuation)
    guard events.status.lifecycle == .active else { return lose(.deactivated) }
    following = [
      Task(executorPreference: loop) { [weak self] in
        let loss = await Self.loss(events)
        await self?.lose(loss)
      },
      Task(executorPreference: loop) {
        let state = try? await client.send(WaitRequest(for: .pass(pass), timeout: nil))
        guard let state, state.state == .failed else { return }
        continuation.yield(.activationFailed(state.error?.message ?? "the activation failed"))
        continuation.finish()
      },
    ]
  }

  private static func loss(_ events: EventSequence) async -> Loss {
    do throws(ClientError) {
      var iterator = events.makeAsyncIterator()
      while let event = try await iterator.next() {
        switch event.params.body {
        case .state(let state) where state.lifecycle == .inactive: return .deactivated
        case .snapshot(let status) where status.lifecycle == .inactive: return .deactivated
        default: continue
        }
      }
      return .supervisorEnded
    } catch {
      return .connectionLost(SupervisorError(error))
    }
  }

  private func lose(_ loss: Loss) {
    continuation.yield(loss)
    continuation.finish()
  }

  /// Extends it.
  public func renew(until end: ContinuousClock.Instant) {
    let lease = Lease(until: end, loop)
    client.assumeIsolated { $0.notify(RenewNotification(lease: lease.seconds, at: lease.at, boot: lease.boot)) }
  }

  /// Asks the supervisor for an answer.
  ///
  /// - Parameter limit: the maximum time for the answer.
  /// - Throws: ``SupervisorError`` if no answer comes, e.g. because the supervisor hangs.
  public func ping(within limit: Duration) async throws {
    try await SupervisorError.translate { () async throws(ClientError) in
      _ = try await client.send(PingRequest(), within: limit)
    }
  }

  /// Deactivates the app, and returns when everything has stopped.
  ///
  /// - Parameter within: the maximum time for that.
  /// - Throws: ``SupervisorError`` if it takes longer or the connection is lost: then the app may still be active until the instant.
  public func deactivate(within: Duration) async throws {
    try await SupervisorError.translate { () async throws(ClientError) in
      _ = try await client.send(DeactivateRequest(wait: true), within: within)
    }
  }

  /// Closes the connection of the hold.
  public func close() async {
    for task in following { task.cancel() }
    await client.close()
  }
}
