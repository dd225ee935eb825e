internal import EventLoop
internal import InitJSON
internal import InitModel
internal import InitText
internal import InitWire
internal import InitWords
internal import Platform

// Invariants:
//
// 1. Events are in the order of the supervisor's messages. `disconnected` is the last event of a connection.
// 2. Each claim and each completion is answered once, unless its connection is lost: a later answer is dropped.
// 3. A claim's id also names its connection. The next supervisor numbers its runs from 1 again, and gets no message for this one.

/// A coordinator: it decides which host of a fleet runs an initializer that is marked `once: fleet`.
///
/// A supervisor has one coordinator. It gets the supervisor's requests as ``events``, and answers each when it has decided, which may take as
/// long as another host needs. PROTOCOL.md, "The coordinator", has the rules for both sides.
///
/// ```swift
/// let coordinator = try SupervisorCoordinator()
/// let coordinating = Task { try await coordinator.run() }
/// for await event in coordinator.events {
///   switch event {
///   case .claimed(let claim): await coordinator.allow(claim.id, fence: nextFence())
///   case .completed(let claim, _, _): await coordinator.confirm(claim)
///   case .connected, .ended, .disconnected, .refused: break
///   }
/// }
/// ```
public actor SupervisorCoordinator {
  /// Identifies a claim: the run and the connection to its supervisor.
  public struct ClaimID: Sendable, Hashable {
    /// The number of the connection.
    let connection: Int
    /// The number of the run in its supervisor.
    public let run: Int
  }

  /// The supervisor's question whether this host may run an initializer.
  public struct Claim: Sendable, Hashable {
    /// Identifies the claim in the answer and in later events.
    public let id: ClaimID
    /// The name of the initializer.
    public let initializer: String
    /// The release of the claim: the initializer runs once for it.
    public let release: String
    /// The attempt's number in its pass, from 1.
    public let attempt: Int
    /// The initializer's timeout, which is running; `nil` for none.
    public let timeout: Duration?
    /// Whether the output is secret, so each host must run the initializer.
    public let isSecret: Bool
    /// Whether the work ends with the supervisor, as that of a command; a worker may continue.
    public let endsWithSupervisor: Bool
  }

  /// An event of the supervisor.
  public enum Event: Sendable {
    /// A supervisor has accepted this coordinator; its runs take up to `cancelGrace` to stop.
    case connected(cancelGrace: Duration)
    /// The supervisor asks whether this host may run an initializer.
    case claimed(Claim)
    /// A run has completed: record that, then ``SupervisorCoordinator/confirm(_:)`` it.
    ///
    /// The output is a JSON text; `nil` if there is no output or it is secret.
    case completed(ClaimID, output: String?, isSecret: Bool)
    /// A claim has ended without a completion.
    ///
    /// The failure is `nil` if the run was cancelled. Unless `hasStopped`, a worker may still work for the run.
    case ended(ClaimID, failure: String?, hasStopped: Bool)
    /// The connection is lost, with all of its claims; ``SupervisorCoordinator/run(within:)`` connects again.
    ///
    /// `hasEnded`: the supervisor's process has ended. Then the commands of the supervisor are being killed. Otherwise it may still run, or
    /// that isn't known.
    case disconnected(SupervisorError, hasEnded: Bool)
    /// A later supervisor answers that it doesn't accept this coordinator; ``SupervisorCoordinator/run(within:)`` tries again.
    ///
    /// The same refusal is reported once, until a supervisor accepts the coordinator.
    case refused(SupervisorError)
  }

  nonisolated let loop: Loop
  /// The thread of all clients.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// The supervisor's events.
  ///
  /// Only one task may read the events. They end when ``run(within:)`` returns.
  public nonisolated let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let socketPath: String?
  private let name: String?
  private var client: Client?
  /// The number of the current connection.
  private var connection = 0
  /// The requests that aren't answered yet.
  private var requests: [ClaimID: RequestID] = [:]
  /// The supervisor's process.
  private var process: PeerProcess?

  /// Creates a coordinator; ``run(within:)`` starts it.
  ///
  /// - Parameters:
  ///   - socketPath: the socket of the supervisor. By default `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else in `/run` for
  ///     root.
  ///   - name: this coordinator's name in the supervisor; by default, the program's name.
  /// - Throws: ``SupervisorError`` if there is no thread for connections.
  public init(at socketPath: String? = nil, named name: String? = nil) throws {
    loop = try ClientLoop.get()
    (events, continuation) = AsyncStream.makeStream()
    self.socketPath = socketPath
    self.name = name
  }

  /// Coordinates until the calling task is cancelled.
  ///
  /// When the connection is lost, the coordinator connects again. If a supervisor refuses it then, that is an event, and it tries again.
  ///
  /// - Parameter within: how long to wait the first time for a supervisor that isn't running yet; zero makes one attempt.
  /// - Throws: ``SupervisorError`` if the first supervisor can't be reached or refuses.
  public func run(within: Duration = .zero) async throws {
    defer { continuation.finish() }
    var backoff = Backoff.reconnecting
    var wasConnected = false
    var refusal: ClientError?
    while !Task.isCancelled {
      do throws(ClientError) {
        let path = try SocketPath.resolve(asked: socketPath)
        let client = try await Client.connect(
          loop: loop, path: path, program: ClientLoop.program(name),
          within: wasConnected || within == .zero ? nil : within)
        try await offer(client)
        wasConnected = true
        refusal = nil
        backoff.reset()
        let reason = await client.untilClosed()
        self.client = nil
        requests = [:]
        guard let reason else { return await client.close() }
        continuation.yield(.disconnected(SupervisorError(reason), hasEnded: await processHasEnded()))
      } catch {
        await client?.close()
        client = nil
        guard !Task.isCancelled else { return }
        guard wasConnected else { throw SupervisorError.thrown(error) }
        if case .refused = error, error != refusal {
          refusal = error
          continuation.yield(.refused(SupervisorError(error)))
        }
      }
      await Sleep.on(loop, for: backoff.next())
    }
  }

  private func offer(_ client: Client) async throws(ClientError) {
    connection += 1
    self.client = client
    await client.setListener(
      ClientListener(
        onClaim: { [weak self] id, claim in self?.assumeIsolated { $0.receive(id, claim) } },
        onComplete: { [weak self] id, params in self?.assumeIsolated { $0.receive(id, params) } },
        onUnclaim: { [weak self] params in self?.assumeIsolated { $0.receive(params) } }))
    // The event comes before the events of messages that follow the answer.
    let answer = try await client.request(CoordinateRequest()) { [weak self] outcome in
      guard case .success(let json) = outcome, let offer = try? json.read(CoordinateRequest.Result.self) else { return }
      _ = self?.assumeIsolated { $0.continuation.yield(.connected(cancelGrace: .seconds(offer.cancelGrace))) }
    }
    _ = try await client.read(answer, as: CoordinateRequest.Result.self)
    process = await client.process
  }

  /// Returns whether the supervisor's process is ending: its connections are closed shortly before.
  private func processHasEnded() async -> Bool {
    await process?.hasEnded(within: .seconds(1), on: loop) ?? false
  }

  private func receive(_ id: RequestID, _ params: ClaimRequest) {
    let claim = claim(params.run)
    requests[claim] = id
    continuation.yield(
      .claimed(
        Claim(
          id: claim, initializer: params.initializer, release: params.release, attempt: params.attempt,
          timeout: params.timeout.map { .seconds($0) }, isSecret: params.secret,
          endsWithSupervisor: params.provider == .command)))
  }

  private func receive(_ id: RequestID, _ params: CompleteRequest) {
    let claim = claim(params.run)
    requests[claim] = id
    let output = params.output.map { String(decoding: $0.bytes, as: UTF8.self) }
    continuation.yield(.completed(claim, output: output, isSecret: params.secret))
  }

  private func receive(_ params: UnclaimNotification) {
    let claim = claim(params.run)
    requests[claim] = nil
    let failure = params.outcome == .failed ? params.message ?? "no reason given" : nil
    continuation.yield(.ended(claim, failure: failure, hasStopped: params.stopped))
  }

  private func claim(_ run: Int) -> ClaimID { ClaimID(connection: connection, run: run) }

  /// Asks the supervisor for an answer.
  ///
  /// - Parameter limit: the maximum time for the answer.
  /// - Throws: ``SupervisorError`` if no answer comes, e.g. because the supervisor hangs.
  public func ping(within limit: Duration) async throws {
    guard let client else { throw SupervisorError(.closed, "there is no connection to a supervisor") }
    try await SupervisorError.translate { () async throws(ClientError) in
      _ = try await client.send(PingRequest(), within: limit)
    }
  }

  // MARK: Answers

  /// Answers a claim: this host may run the initializer.
  ///
  /// - Parameters:
  ///   - claim: the claim to allow.
  ///   - fence: the fencing token, larger than the tokens of all earlier runs.
  ///   - end: the time at which the claim ends unless it is renewed; `nil` for never. The supervisor stops the run before that.
  public func allow(_ claim: ClaimID, fence: Int, until end: ContinuousClock.Instant? = nil) {
    let lease = end.map { Lease(until: $0, loop) }
    answer(claim) {
      try ClaimRequest.Result.run(fence: fence, lease: lease?.seconds, at: lease?.at, boot: lease?.boot).json()
    }
  }

  /// Answers a claim: another host has completed the initializer.
  ///
  /// - Parameters:
  ///   - claim: the claim to skip.
  ///   - output: the recorded output, a JSON text; `nil` for none.
  ///   - message: a text for people that names the host that completed it.
  public func skip(_ claim: ClaimID, output: String?, message: String) {
    answer(claim) {
      try ClaimRequest.Result.done(output: output.map { try RawJSON(checking: Array($0.utf8)) }, message: message)
        .json()
    }
  }

  /// Answers a completion: it is recorded.
  public func confirm(_ claim: ClaimID) { answer(claim) { RawJSON.emptyObject.bytes.map(\.self) } }

  /// Answers a claim or a completion: the attempt has failed.
  public func fail(_ claim: ClaimID, _ message: String) {
    answer(claim) { throw WireError(code: 1, message: message.cut()) }
  }

  private func answer(_ claim: ClaimID, _ result: () throws -> [UInt8]) {
    guard claim.connection == connection, let id = requests.removeValue(forKey: claim), let client else { return }
    let outcome: Result<RawJSON, WireError>
    do { outcome = .success(try RawJSON(checking: try result())) } catch { outcome = .failure(.answer(error)) }
    client.assumeIsolated { $0.answer(id, outcome) }
  }

  // MARK: Notifications

  /// Shows a message about an open claim, for example what it waits for.
  public func report(_ claim: ClaimID, _ message: String) {
    tell(claim) { $0.report(ProgressNotification(run: claim.run, message: message)) }
  }

  /// Moves the deadline of a claim that isn't answered yet: from now on the initializer has this much time.
  ///
  /// The timeout of the run counts while it waits for another host.
  public func extend(_ claim: ClaimID, by time: Duration) {
    tell(claim) { $0.report(ProgressNotification(run: claim.run, extend: time.inSeconds)) }
  }

  /// Extends a claim that was allowed.
  public func renew(_ claim: ClaimID, until end: ContinuousClock.Instant) {
    let lease = Lease(until: end, loop)
    tell(claim) { $0.notify(RenewNotification(run: claim.run, lease: lease.seconds, at: lease.at, boot: lease.boot)) }
  }

  /// Withdraws a claim that was allowed: its run must stop.
  public func revoke(_ claim: ClaimID, _ message: String) {
    tell(claim) { $0.notify(RevokeNotification(run: claim.run, message: message)) }
  }

  private func tell(_ claim: ClaimID, _ message: (isolated Client) -> Void) {
    guard claim.connection == connection, let client else { return }
    client.assumeIsolated(message)
  }
}

/// A lease in the protocol's form: a duration from a given time on.
struct Lease {
  /// The moment, in seconds by CLOCK_MONOTONIC.
  let at: Double
  /// The moment, in seconds by CLOCK_BOOTTIME.
  let boot: Double
  /// The time from then on.
  let seconds: Double

  /// Creates a lease that ends at an instant.
  ///
  /// The current time is read first: if this process is stopped between the two reads, the lease is too short, but never too long.
  init(until end: ContinuousClock.Instant, _ loop: Loop) {
    at = loop.now.inSeconds
    boot = loop.bootTime.inSeconds
    seconds = max(.zero, end - .now).inSeconds
  }
}
