internal import EventLoop
internal import InitJSON
public import InitModel
internal import InitText
internal import InitWire
public import InitWords

/// A client of a supervisor in another process: it queries the status, activates and deactivates the app, and observes events.
///
/// ```swift
/// import InitClient
///
/// let client = try await SupervisorClient.connect()
/// try await client.activate()
/// try await client.wait(for: .ready, timeout: .seconds(30))
/// for try await event in client.events(.initializer) { print(event.body) }
/// ```
///
/// If the connection breaks, e.g. because the supervisor restarts, requests that wait for an answer throw a ``SupervisorError`` of the kind
/// `connectionLost`: the supervisor may have executed them or not. The next request reconnects, and waits for a supervisor as long as
/// ``connect(at:named:within:onWaiting:)`` did.
public actor SupervisorClient {
  /// The goal of a wait.
  public enum Goal: Sendable, Hashable {
    /// Launch and active are complete while the app is active; without an active phase, launch is.
    case ready
    /// Launch is complete.
    case launch
    /// The active phase is complete.
    case active
    /// Launch and active are both complete (S1).
    case composite
    /// The initializer of that name has completed.
    case initializer(String)
    /// The pass of that number has ended.
    case pass(Int)

    fileprivate var target: WaitTarget {
      switch self {
      case .ready: .ready
      case .launch: .launch
      case .active: .active
      case .composite: .composite
      case .initializer(let name): .initializer(name)
      case .pass(let number): .pass(number)
      }
    }
  }

  /// The socket's path.
  public nonisolated let socketPath: String
  private nonisolated let name: String?
  /// How long a request waits for a supervisor; zero for one attempt.
  private nonisolated let limit: Duration
  private nonisolated let onWaiting: @Sendable (ClientError) -> Void
  private var connection: Client?
  /// The attempt to connect, and the number of requests that wait for it.
  private(set) var opening: (task: Task<Client, any Error>, waiting: Int)?

  /// How much longer than a timeout the answer may take before the supervisor counts as stuck.
  private static let patience = Duration.seconds(2)

  private init(
    _ socketPath: String, name: String?, limit: Duration, _ onWaiting: @escaping @Sendable (ClientError) -> Void
  ) {
    self.socketPath = socketPath
    self.name = name
    self.limit = limit
    self.onWaiting = onWaiting
  }

  deinit {
    if let connection { Task { await connection.close() } }
  }

  /// Connects to a supervisor, which has answered when this returns.
  ///
  /// If no supervisor is running yet, waits for one, and reports after a second that it waits.
  ///
  /// - Parameters:
  ///   - socketPath: the socket of the supervisor. By default that follows the rule of the protocol: `$INITD_SOCKET`, else `initd.sock` in
  ///     `$XDG_RUNTIME_DIR`, else in `/run` for root.
  ///   - name: this client's name in the supervisor; by default, the program's name.
  ///   - within: how long to wait for a supervisor that isn't running yet, here and when a later request finds none; zero makes one
  ///     attempt.
  ///   - onWaiting: called once after a second of waiting, with the reason, on the thread of all connections: it must not block. By default
  ///     a line is written to standard error.
  /// - Returns: the connected client.
  /// - Throws: ``SupervisorError``; `CancellationError` if the calling task is cancelled.
  public static func connect(
    at socketPath: String? = nil, named name: String? = nil, within: Duration = .seconds(30),
    onWaiting: (@Sendable (SupervisorError) -> Void)? = nil
  ) async throws -> SupervisorClient {
    let path = try await SupervisorError.translate { () async throws(ClientError) in
      try SocketPath.resolve(asked: socketPath)
    }
    let client = SupervisorClient(path, name: name, limit: within) { reason in
      if let onWaiting { onWaiting(SupervisorError(reason)) } else { StandardError.reportWaiting(reason) }
    }
    _ = try await client.open()
    return client
  }

  /// Returns the status of the supervisor and its initializers.
  ///
  /// - Throws: ``SupervisorError``; `CancellationError` if the calling task is cancelled. All requests throw these errors.
  public func status() async throws -> Status {
    try await ask { client throws(ClientError) in try await client.send(StatusRequest()) }
  }

  /// Returns what identifies this execution of the supervisor: different after every start.
  ///
  /// A connection belongs to one execution, so this causes a request only if there is no connection. If it is the same before and after other
  /// requests, the same execution has answered them.
  public func instance() async throws -> String {
    try await ask { client throws(ClientError) in
      if let hello = await client.hello { return hello.instance }
      return try await client.send(StatusRequest()).instance
    }
  }

  /// Waits for a sign of life from the supervisor.
  ///
  /// - Parameter limit: the maximum time for the answer, in addition to the time for a new connection if one is needed; no limit by
  ///   default.
  /// - Throws: ``SupervisorError`` of the kind `timedOut` if the supervisor doesn't answer in that time; the connection stays.
  public func ping(within limit: Duration? = nil) async throws {
    _ = try await ask { client throws(ClientError) in try await client.send(PingRequest(), within: limit) }
  }

  /// Waits until something is complete.
  ///
  /// - Parameters:
  ///   - goal: the goal to wait for.
  ///   - timeout: the maximum time to wait, at least 0; no limit by default.
  /// - Throws: the `InitializationError` if it fails; ``SupervisorError`` of the kind `timedOut` after the timeout, of the kind
  ///   `cancelled` if the run or the pass is cancelled, of the kind `unknownInitializer` or `refused` if there is no such initializer or
  ///   pass.
  public func wait(for goal: Goal = .ready, timeout: Duration? = nil) async throws {
    let timeout = timeout.map { max($0, .zero) }
    let params = WaitRequest(for: goal.target, timeout: timeout?.inSeconds)
    let explain: @Sendable (ClientError) -> SupervisorError = { SupervisorError($0, waitingFor: goal, timeout) }
    let state = try await ask(explaining: explain) { client throws(ClientError) in
      try await client.send(params, within: timeout.map { $0 + Self.patience })
    }
    if let error = state.error { throw error }
    guard state.state == .complete else {
      throw SupervisorError(.cancelled, "the wait ended without success: its target is \(state.state.rawValue)")
    }
  }

  /// Retries a failed launch, or joins a running one (S9, S10).
  ///
  /// - Returns: the number of the pass.
  /// - Throws: ``SupervisorError``; `CancellationError` if the calling task is cancelled.
  @discardableResult public func launch() async throws -> Int {
    try await ask { client throws(ClientError) in try await client.send(LaunchRequest()) }.pass
  }

  /// Makes the app active: every `appActive` initializer runs again, after launch (S4, S10).
  ///
  /// - Parameter force: whether it is activated even if another client decides when it is active (``manageActivation()``).
  /// - Returns: the number of the pass that it started or joined.
  /// - Throws: ``SupervisorError``, of the kind `nameConflict` if another client decides that; `CancellationError` if the calling task is
  ///   cancelled.
  @discardableResult public func activate(force: Bool = false) async throws -> Int {
    try await ask { client throws(ClientError) in try await client.send(ActivateRequest(force: force)) }.pass
  }

  /// Makes the app inactive: cancels the active pass, and ends all holds (S11, S23).
  ///
  /// - Returns: the names of the runs that this cancelled; they have stopped.
  /// - Throws: ``SupervisorError``; `CancellationError` if the calling task is cancelled.
  @discardableResult public func deactivate() async throws -> [String] {
    try await ask { client throws(ClientError) in try await client.send(DeactivateRequest(wait: true)) }.cancelled
  }

  /// Runs initializers again, in a pass of their phase after the one in flight: all or none (S26).
  ///
  /// An initializer with the priority `appActive` can run again only while the app is active. A dependent that doesn't run again is
  /// stale.
  ///
  /// - Parameters:
  ///   - initializers: the names.
  ///   - withDependents: whether their direct and indirect dependents also run again.
  /// - Returns: the numbers of the passes, for ``wait(for:timeout:)``.
  /// - Throws: ``SupervisorError``, of the kind `inactive` if the app is; `CancellationError` if the calling task is cancelled.
  @discardableResult public func rerun(_ initializers: String..., withDependents: Bool = false) async throws -> [Int] {
    try await rerun(initializers, withDependents: withDependents)
  }

  /// Runs initializers again, as ``rerun(_:withDependents:)-(String...,_)`` does.
  ///
  /// - Parameters:
  ///   - initializers: the names.
  ///   - withDependents: whether their direct and indirect dependents also run again.
  /// - Returns: the numbers of the passes, for ``wait(for:timeout:)``.
  /// - Throws: ``SupervisorError``, of the kind `inactive` if the app is; `CancellationError` if the calling task is cancelled.
  @discardableResult public func rerun(_ initializers: [String], withDependents: Bool = false) async throws -> [Int] {
    try await ask { client throws(ClientError) in
      try await client.send(RerunRequest(initializers: initializers, withDependents: withDependents)).passes
    }
  }

  /// Cancels the runs of initializers, and ends the delays of those between two attempts: all or none (S34).
  ///
  /// Each run has failed with the cause that this process's user cancelled it, isn't retried, and has stopped when this returns.
  ///
  /// - Throws: ``SupervisorError``, of the kind `notRunning` if an initializer doesn't run; `CancellationError` if the calling task is
  ///   cancelled.
  public func cancel(_ initializers: String...) async throws {
    _ = try await ask { client throws(ClientError) in
      try await client.send(CancelRunRequest(initializers: initializers))
    }
  }

  /// Makes the supervisor read its configuration again, and apply the changes (S27).
  ///
  /// - Parameters:
  ///   - dryRun: true to change nothing: the result says what would change.
  ///   - withDependents: whether the dependents of initializers that run again also run again; otherwise they become stale.
  /// - Returns: the changes. Initializers that run again may still be running.
  /// - Throws: ``SupervisorError``, of the kind `invalidManifest` or `unreadableManifest` if nothing has changed because of mistakes;
  ///   `CancellationError` if the calling task is cancelled.
  @discardableResult public func reload(
    dryRun: Bool = false, withDependents: Bool = false
  ) async throws -> ConfigurationChanges {
    let explain: @Sendable (ClientError) -> SupervisorError = { SupervisorError(reloading: $0) }
    return try await ask(explaining: explain) { client throws(ClientError) in
      try await client.send(ReloadRequest(dryRun: dryRun, withDependents: withDependents))
    }
  }

  /// Returns the last passes, oldest first, each with its runs.
  ///
  /// A supervisor remembers its last 32 passes.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of ended passes, at least 1.
  ///   - phase: selects only passes of this phase; both phases by default.
  ///   - inFlight: whether passes in flight are included, in addition to `limit`.
  /// - Returns: the passes.
  /// - Throws: ``SupervisorError``; `CancellationError` if the calling task is cancelled.
  public func history(
    limit: Int = 32, phase: Phase? = nil, inFlight: Bool = false
  ) async throws -> [Pass] {
    let params = HistoryRequest(limit: max(1, limit), phase: phase, inFlight: inFlight)
    return try await ask { client throws(ClientError) in try await client.history(params).passes }
  }

  /// Explains why a phase or an initializer isn't complete, or why it failed.
  ///
  /// - Parameter goal: the goal to explain.
  /// - Returns: the explanation.
  /// - Throws: ``SupervisorError``, of the kind `unknownInitializer` if the initializer isn't declared, `unknownPass` if the pass isn't the
  ///   newest one of its phase; `CancellationError` if the calling task is cancelled.
  public func explanation(of goal: Goal = .ready) async throws -> Explanation {
    let patience = Self.patience
    let explanation = try await ask { client throws(ClientError) in
      try await client.explanation(of: goal.target, patience: patience)
    }
    guard let explanation else {
      if case .pass(let number) = goal {
        throw SupervisorError(
          .unknownPass, "pass \(number) isn't the newest one of its phase; only that can be explained")
      }
      throw SupervisorError(.unknownInitializer, "nobody has declared \(goal); status() has the names")
    }
    return explanation
  }

  /// Returns the status with everything that explains it, of one moment.
  ///
  /// - Throws: ``SupervisorError``; `CancellationError` if the calling task is cancelled.
  public func overview() async throws -> SupervisorOverview {
    let patience = Self.patience
    return try await ask { client throws(ClientError) in try await client.overview(patience: patience) }
  }

  /// Returns the last lines that an initializer's attempts wrote in a pass, by the number of the run.
  ///
  /// - Parameters:
  ///   - initializer: the name.
  ///   - pass: the number of a pass of this supervisor.
  /// - Returns: at most 10 lines of each attempt, which may have control characters; an attempt whose lines aren't kept is missing.
  /// - Throws: ``SupervisorError``, of the kind `unknownInitializer` if the initializer isn't declared; `CancellationError` if the calling
  ///   task is cancelled.
  public func output(of initializer: String, inPass pass: Int) async throws -> [Int: [String]] {
    try await ask { client throws(ClientError) in try await client.output(of: initializer, inPass: pass) }
  }

  /// Returns the path of the socket to which ``connect(at:named:within:onWaiting:)`` connects.
  ///
  /// - Parameter socketPath: the same as there.
  /// - Returns: the absolute path.
  /// - Throws: ``SupervisorError`` of the kind `noSocketPath` if there is none.
  public static func socketPath(at socketPath: String? = nil) async throws -> String {
    try await SupervisorError.translate { () async throws(ClientError) in try SocketPath.resolve(asked: socketPath) }
  }

  /// Keeps the app active until the hold is released or dropped, or this process ends (S23).
  ///
  /// - Throws: ``SupervisorError``; `CancellationError` if the calling task is cancelled.
  public func hold() async throws -> SupervisorHold {
    let client = try await connect()
    do throws(ClientError) {
      _ = try await client.send(ActivateRequest(hold: true))
    } catch {
      await client.close()
      throw SupervisorError.thrown(error)
    }
    return await SupervisorHold(client)
  }

  /// Keeps the app active until an instant that is renewed, for an app that must be active on one host at a time.
  ///
  /// - Parameters:
  ///   - end: the time at which the supervisor deactivates the app, unless ``LeasedHold/renew(until:)`` is called before. It must be
  ///     further away than the supervisor's `cancelGrace`.
  ///   - fence: a fencing token, at least 1 and larger than the tokens of all earlier holders on any host. Active runs get it, e.g.
  ///     commands as `INITD_FENCE`.
  /// - Returns: the hold, on a connection of its own.
  /// - Throws: ``SupervisorError``, of the kind `nameConflict` if another client has such a hold; `CancellationError` if the calling task
  ///   is cancelled.
  public func hold(until end: ContinuousClock.Instant, fence: Int? = nil) async throws -> LeasedHold {
    let client = try await connect()
    do throws(ClientError) {
      return try await LeasedHold(client, until: end, fence: fence)
    } catch {
      await client.close()
      throw SupervisorError.thrown(error)
    }
  }

  /// Decides from now on when the app is active: only leased holds and forced requests of other clients activate it.
  ///
  /// - Returns: the management, which ends with its connection.
  /// - Throws: ``SupervisorError``, of the kind `nameConflict` if another client decides already; `CancellationError` if the calling task is
  ///   cancelled.
  public func manageActivation() async throws -> ActivationManagement {
    let client = try await connect()
    do throws(ClientError) {
      _ = try await client.send(ManageRequest())
    } catch {
      await client.close()
      throw SupervisorError.thrown(error)
    }
    return ActivationManagement(client)
  }

  /// Returns the supervisor's events, from a snapshot on; see ``SupervisorEvents``.
  ///
  /// - Parameter topics: the events to receive, in addition to snapshots.
  /// - Returns: a sequence that reconnects automatically.
  public nonisolated func events(_ topics: [Topic]) -> SupervisorEvents {
    SupervisorEvents(topics, at: socketPath, named: name)
  }

  /// Returns the supervisor's events; without topics, only changes of the three states.
  public nonisolated func events(_ topics: Topic...) -> SupervisorEvents {
    events(topics.isEmpty ? Topic.defaults : topics)
  }

  /// Shuts the supervisor down (S24).
  ///
  /// The supervisor may still be running when this returns.
  ///
  /// - Throws: ``SupervisorError``; `CancellationError` if the calling task is cancelled.
  public func shutDown() async throws {
    try await ask { client throws(ClientError) in _ = try await client.send(ShutdownRequest()) }
  }

  /// Closes the connection.
  ///
  /// A later request opens another connection.
  public func close() async {
    let closing = connection
    connection = nil
    await closing?.close()
  }

  /// Returns the connection.
  ///
  /// If none is open, or if the last one is lost, makes a new one.
  private func connected() async throws -> Client {
    while let connection {
      if await connection.isOpen { return connection }
      if self.connection === connection { self.connection = nil }
    }
    return try await open()
  }

  /// Makes the connection.
  ///
  /// Requests that arrive in the meantime wait for the same connection. It is abandoned if the tasks of all of them are cancelled.
  private func open() async throws -> Client {
    let task = opening?.task ?? Task { try await openConnection() }
    opening = (task, (opening?.waiting ?? 0) + 1)
    defer { if opening?.task == task { opening = nil } }
    let client = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      Task { await self.giveUp(task) }
    }
    try Task.checkCancellation()
    return client
  }

  private func openConnection() async throws -> Client {
    let client = try await connect()
    guard !Task.isCancelled else {
      await client.close()
      throw CancellationError()
    }
    connection = client
    return client
  }

  /// Connects to a supervisor, and waits until it has answered.
  private func connect() async throws -> Client {
    let path = socketPath
    let program = ClientLoop.program(name)
    let loop = try ClientLoop.get()
    return try await SupervisorError.translate { [limit, onWaiting] () async throws(ClientError) in
      guard limit > .zero else {
        let client = try await Client.connect(loop: loop, path: path, program: program)
        _ = try await client.send(PingRequest())
        return client
      }
      return try await Client.connect(loop: loop, path: path, program: program, within: limit, onWaiting: onWaiting)
    }
  }

  private func giveUp(_ task: Task<Client, any Error>) {
    guard opening?.task == task else { return }
    opening?.waiting -= 1
    guard opening?.waiting == 0 else { return }
    opening = nil
    task.cancel()
  }

  private func ask<Answer: Sendable>(
    explaining explain: (ClientError) -> SupervisorError = { SupervisorError($0) },
    _ request: @Sendable (Client) async throws(ClientError) -> Answer
  ) async throws -> Answer {
    let client = try await connected()
    return try await SupervisorError.translate(explaining: explain) { () async throws(ClientError) in
      try await request(client)
    }
  }
}

extension SupervisorError {
  /// Creates the error of a wait, with its goal and its timeout.
  fileprivate init(_ error: ClientError, waitingFor goal: SupervisorClient.Goal, _ timeout: Duration?) {
    switch (error.code.flatMap { ErrorCode(rawValue: $0) }, goal) {
    case (.timeout, _):
      self.init(
        .timedOut, "timed out\(timeout.map { " after \($0.words)" } ?? "") waiting for \(goal)", code: error.code)
    case (.invalidParams, .pass(let number)):
      self.init(
        .unknownPass,
        "unknown pass \(number): it was never requested, or it is forgotten; use a number that activate() returned",
        code: error.code)
    default: self.init(error)
    }
  }
}

extension SupervisorClient.Goal: CustomStringConvertible {
  /// The goal, for messages.
  public var description: String { "\(target)" }
}
