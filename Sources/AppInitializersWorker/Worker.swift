public import AppInitializers
internal import InitClient
internal import InitCore
internal import InitJSON
internal import InitLocks
internal import InitModel
internal import InitText
internal import InitWire
internal import InitWords
internal import Platform
internal import WireConversions

/// A worker: a program that provides initializers to a supervisor in another process, and runs them when the supervisor asks.
///
/// The initializers are the same objects that an `InitManager` takes.
///
/// ```swift
/// import AppInitializers
/// import AppInitializersWorker
///
/// let worker = Worker("shelf", serving: [Favorites(), Stock()])
/// try await worker.run(endingOn: [SIGTERM, SIGINT])
/// ```
///
/// A dependency by type means an object of this worker. If the worker has no object of that type, the dependency means the initializer with
/// the type's name in the supervisor; ``run(until:connectingWithin:endingOn:cancelGrace:onChange:)`` throws if another type of this worker
/// also has that name. Outputs are passed through the supervisor as JSON: the value must be `Encodable`, and `Decodable` for dependents.
public final class Worker: Sendable {
  /// The name in the supervisor.
  public let name: String

  private let objects: HostedObjects
  private let socketPath: String?
  private let isPerProcess: Bool
  private let executor = ThreadExecutor()
  private let semaphore: Semaphore
  /// The objects run one at a time, and may share state.
  private let isExclusive: Bool
  /// Completed initializers that haven't been stopped, in the order of completion.
  private let completed = Locked<[String]>([])

  /// Creates a worker that runs one initializer at a time.
  ///
  /// The worker takes ownership of the objects, so they may share state that isn't `Sendable`.
  ///
  /// - Parameters:
  ///   - name: the name of the worker in the supervisor.
  ///   - initializers: the initializers that the worker serves, in any order.
  ///   - isPerProcess: whether their effect is only in this process: then they run again when another worker registers them (S22).
  ///   - socketPath: the supervisor's socket. By default `$INITD_SOCKET`, else `initd.sock` in
  ///     `$XDG_RUNTIME_DIR`, else in `/run` for root.
  public init(
    _ name: String, serving initializers: sending [any AppInitializer], isPerProcess: Bool = false,
    at socketPath: String? = nil
  ) {
    self.name = name
    self.objects = HostedObjects(initializers, executor: executor)
    self.socketPath = socketPath
    self.isPerProcess = isPerProcess
    self.semaphore = Semaphore(1)
    self.isExclusive = true
  }

  /// Creates a worker that may run several initializers at once, `concurrency` of them (at least 1), if the supervisor asks for that.
  ///
  /// The objects may share only `Sendable` state, which the compiler checks.
  ///
  /// The other parameters are those of ``init(_:serving:isPerProcess:at:)``.
  public init(
    _ name: String, serving initializers: [any AppInitializer & Sendable], isPerProcess: Bool = false,
    concurrency: Int, at socketPath: String? = nil
  ) {
    self.name = name
    self.objects = HostedObjects(initializers, executor: executor)
    self.socketPath = socketPath
    self.isPerProcess = isPerProcess
    self.semaphore = Semaphore(concurrency)
    self.isExclusive = false
  }

  /// Registers the initializers, and runs them when the supervisor requests it.
  ///
  /// If the connection is lost, the worker cancels its runs, and registers again when a supervisor answers. When the time has passed, a
  /// signal comes, or the calling task is cancelled, the worker unregisters, cancels its runs, and calls `AppInitializer.stop()` of the
  /// completed initializers, in the reverse order of completion. Then this returns.
  ///
  /// ```swift
  /// try await worker.run(endingOn: [SIGTERM, SIGINT]) { change in print(change) }
  /// ```
  ///
  /// - Parameters:
  ///   - duration: how long the worker serves; no limit by default.
  ///   - within: how long to wait for a supervisor that isn't running yet; no limit by default, and zero makes one attempt.
  ///   - signals: the signals that end the worker. A second one ends the process, as without a worker.
  ///   - cancelGrace: the maximum time for runs to stop at the end. Then this returns without them. `stop()` isn't called in this case,
  ///     unless the worker has a `concurrency`: a run that goes on may share state with it.
  ///   - onChange: called for each change, in order, e.g. for a log, on the thread of all connections: it must not block. By default,
  ///     problems of the connection are written to standard error.
  /// - Throws: ``SupervisorError`` if the first registration fails, a later one can never succeed, or a signal can't be watched.
  public func run(
    until duration: Duration? = nil, connectingWithin within: Duration? = nil, endingOn signals: [Int32] = [],
    cancelGrace: Duration = .milliseconds(4500), onChange: (@Sendable (Change) -> Void)? = nil
  ) async throws {
    let service = try service(cancelGrace, onChange ?? Self.reportProblems)
    // Zero makes one attempt, with the time limit of an answer.
    let within = within ?? ClientLoop.unlimited
    let serving = Task { () async -> Result<Void, ClientError> in
      do throws(ClientError) {
        return .success(try await service.serve(within: within > .zero ? within : nil))
      } catch {
        return .failure(error)
      }
    }
    do throws(SystemError) {
      try await service.onFirst(of: signals) { serving.cancel() }
    } catch {
      serving.cancel()
      _ = await serving.value
      throw SupervisorError(.unreachable, "cannot serve \(name): cannot watch its signals: \(error)")
    }
    let timer = duration.map { duration in
      Task {
        try await Task.sleep(for: duration)
        serving.cancel()
      }
    }
    let result = await withTaskCancellationHandler {
      await serving.value
    } onCancel: {
      serving.cancel()
    }
    timer?.cancel()
    // The completed initializers are stopped in order, even if this task is cancelled.
    let left = await service.running
    if !left.isEmpty {
      StandardError.write("\(name) ends without waiting longer for its runs: \(left.joined(separator: ", "))")
    }
    if left.isEmpty || !isExclusive { await Task { await stopAll() }.value }
    try await SupervisorError.translate { () async throws(ClientError) in try result.get() }
  }

  private func service(
    _ cancelGrace: Duration, _ onChange: @escaping @Sendable (Change) -> Void
  ) throws -> WorkerService {
    try checkNames()
    let path: String
    do throws(ClientError) { path = try SocketPath.resolve(asked: socketPath) } catch { throw SupervisorError(error) }
    return WorkerService(
      loop: try ClientLoop.get(), path: path, program: ClientLoop.program(name),
      initializers: objects.declarations.map { declaration in
        WorkerInitializer(RegisterRequest.Registration(declaration, isPerProcess: isPerProcess)) { [self] in
          try await run($0)
        }
      }, executor: executor, cancelGrace: cancelGrace, onChange: { onChange(Change($0)) },
      onRunChange: { change in if let change = Change(change) { onChange(change) } })
  }

  /// Checks that a supervisor can distinguish the initializers and their dependencies by name.
  private func checkNames() throws(SupervisorError) {
    func unusable(_ name: String, _ why: String) -> SupervisorError {
      SupervisorError(.unusableName, "cannot register \"\(TerminalText.escape(name))\": \(why) of its own")
    }
    guard !objects.declarations.isEmpty else {
      throw SupervisorError(.refused, "cannot serve \(TerminalText.escape(name)): it has no initializers; give it one")
    }
    var names: Set<String> = []
    for declaration in objects.declarations {
      guard InitializerName.isValid(declaration.name) else {
        throw unusable(
          declaration.name, "a name in a supervisor \(InitializerName.requirement); give the initializer a `name`")
      }
      guard names.insert(declaration.name).inserted else {
        throw SupervisorError(
          .nameConflict,
          "cannot register: two initializers are named \"\(declaration.name)\"; give one of them a `name` of its own")
      }
      guard let bad = declaration.dependencies.first(where: { !InitializerName.isValid($0) }) else { continue }
      throw unusable(
        declaration.name,
        """
        its dependency "\(TerminalText.escape(bad))" \(InitializerName.requirement) in a supervisor; give that initializer a `name`
        """)
    }
    guard let ambiguity = objects.ambiguity else { return }
    let name = ambiguity.name
    let dependency = ambiguity.dependency
    let namesake = ambiguity.namesake
    let why =
      ambiguity.namesakeIsOwn
      ? """
      this worker has no object of \(dependency), so the dependency means the supervisor's initializer "\(name)", but \(namesake) of this \
      worker has that name; give \(namesake) a `name` of its own
      """
      : """
      this worker has no objects of \(namesake) and \(dependency), so both dependencies mean the supervisor's initializer "\(name)"; give \
      one of them another `name` where it is served, and depend on it with `dependencyNames`
      """
    throw SupervisorError(.nameConflict, "cannot register: \(why)")
  }

  private func run(_ run: WorkerRun) async throws {
    let params = run.params
    let phase = params.phase.known ?? .launch
    let start = RunStart(
      run: RunID(params.run), initializer: params.initializer, pass: PassID(params.pass), phase: phase,
      attempt: params.attempt,
      timeout: params.timeout.map { .seconds($0) }, worker: nil)
    try await semaphore.run {
      let output = try await objects.run(
        start, traceparent: params.traceparent, fence: params.fence, inputs: try inputs(params),
        report: { await run.report(fraction: $0.fraction, message: $0.message, extend: $0.extend) },
        cancellation: { run.stopReason.isLost ? .lost : run.stopReason.reason.map { CancellationCause($0) } })
      if let output, let encoded = try RunOutput(passingOn: output) { await run.handOver(encoded) }
      guard !Task.isCancelled else { return }
      completed.withLock { names in
        names.removeAll { $0 == params.initializer }
        names.append(params.initializer)
      }
    }
  }

  private func inputs(_ params: RunRequest) throws -> [String: any Sendable] {
    try params.inputs.mapValues { RemoteOutput(output: try RunOutput(Array($0.bytes))) }
  }

  /// Calls `stop()` of the completed initializers, in the order and with the default timeouts of a manager.
  private func stopAll() async {
    let names = completed.withLock { names in
      defer { names = [] }
      return names
    }
    let limits = Machine.Configuration()
    let start = ContinuousClock.now
    var stops = Stopping(names, timeout: limits.stopTimeout, grace: limits.cancelGrace)
    while let name = stops.next(at: start.duration(to: .now)) {
      let stopping = Task(executorPreference: executor) { [objects] in await objects.stop(name) }
      while let deadline = stops.deadline {
        if await Self.ends(stopping, by: start + deadline) {
          stops.end()
          continue
        }
        switch stops.hurry(at: start.duration(to: .now)) {
        case .cancel: stopping.cancel()
        case .giveUp:
          guard isExclusive else { continue }
          // This `stop()` may share state with the others, so they are called after it has returned. No task waits for that.
          Task { [objects, stops] in
            await stopping.value
            for name in stops.left { await objects.stop(name) }
          }
          return
        }
      }
    }
  }

  /// Whether a task has ended by then.
  private static func ends(_ task: Task<Void, Never>, by deadline: ContinuousClock.Instant) async -> Bool {
    let (ends, told) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
    let waiting = Task {
      await task.value
      told.yield(true)
    }
    let sleeping = Task {
      try await Task.sleep(until: deadline)
      told.yield(false)
    }
    defer {
      waiting.cancel()
      sleeping.cancel()
    }
    for await hasEnded in ends { return hasEnded }
    return false
  }
}
