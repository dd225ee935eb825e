internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitLog
internal import InitModel
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitText
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform
internal import WireConversions

/// The workers: their registrations and runs, and the handling of both when a connection is lost (protocol §6, S18–S22).
final class Workers {
  /// A session that has registered names, even if they were unregistered again.
  private struct WorkerSession {
    let session: Session
    /// The names in the last published event.
    var names: [String] = []
    /// The runs that the worker hasn't answered.
    var runs: Set<RunID> = []

    var shape: Status.Worker {
      Status.Worker(client: session.name, pid: session.peer.pid.map(Int.init), initializers: names)
    }
  }

  /// A run of a worker that hasn't been answered.
  private struct UnansweredRun {
    let worker: WorkerID
    /// Present only for a run that is marked `once`, whose answer doesn't end the run.
    let context: RunContext?
    let continuation: CheckedContinuation<Void, any Error>
  }

  let shared: SupervisorContext
  private let broadcast: Broadcast
  private let coordination: Coordination
  private let passes: PassBook
  /// The initializers that the manifest declares secret; a worker can't change that.
  private var secrets: Set<String> = []
  private var workers: [WorkerID: WorkerSession] = [:]
  private var runs: [RunID: UnansweredRun] = [:]

  init(
    _ shared: SupervisorContext, broadcast: Broadcast, coordination: Coordination, passes: PassBook,
    owner: LoopReference<Workers>
  ) {
    self.shared = shared
    self.broadcast = broadcast
    self.coordination = coordination
    self.passes = passes
    reload()
    owner.refer(to: self)
  }

  /// Takes the initializers that the configuration declares secret.
  func reload() {
    secrets = Set(shared.configuration.initializers.filter(\.isSecret).map(\.declaration.name))
  }

  /// Workers that provide an initializer, oldest connection first.
  var shapes: [Status.Worker] {
    workers.values.filter { !$0.names.isEmpty }.sorted { $0.session.id < $1.session.id }.map(\.shape)
  }

  /// Returns whether a session has runs that it hasn't answered.
  func hasRuns(_ id: WorkerID) -> Bool { workers[id]?.runs.isEmpty == false }

  // MARK: Names

  func register(_ params: RegisterRequest, _ session: Session) throws(WireError) -> RegisterRequest.Result {
    let names = params.initializers.map(\.name)
    let known = shared.read { machine in
      (machine.initializerCount, names.count { machine.initializer(named: $0) == nil })
    }
    guard known.0 + known.1 <= shared.limits.initializers else {
      throw WireError(
        .limitExceeded, "cannot register: there would be more than \(shared.limits.initializers) initializers",
        detail: .limit("initializers"))
    }
    let bytes = params.initializers.reduce(0) {
      $0 + Registration($1).declaration(over: Declaration($1.name)).nameBytes
    }
    guard shared.read({ $0.sizeOfDeclarations }) + bytes <= shared.limits.declarationBytes else {
      throw WireError(
        .limitExceeded,
        """
        cannot register: names and dependencies of all initializers would exceed \(shared.limits.declarationBytes) bytes; declare fewer \
        dependencies, or raise --limit declarationBytes
        """,
        detail: .limit("declarationBytes"))
    }
    let event = Event.workerRegistered(
      session.worker, process: session.peer.pid, params.initializers.map(Registration.init))
    do throws(Refusal) { try shared.apply(event) } catch {
      throw refusal(error, "stop it first, or choose another name", of: session)
    }
    workers[session.worker, default: WorkerSession(session: session)].names += names
    notify(of: session.worker, isConnected: true)
    shared.logger.info("\(session.name) provides \(NameList.shown(names))")
    return RegisterRequest.Result(registered: names)
  }

  /// - Returns: the names that are no longer known.
  func unregister(_ params: UnregisterRequest, _ session: Session) throws(WireError) -> [String] {
    // A worker may unregister its own names. Names without a worker may be unregistered by clients with the role control.
    let isOwn = shared.read { [id = session.worker] machine in
      params.names.allSatisfy { machine.isProvided($0, by: id) }
    }
    guard session.roles.contains(.control) || isOwn else {
      throw WireError(
        .notPermitted,
        "permission denied: `unregister` of another worker's name needs the role control, and you have register")
    }
    do throws(Refusal) { try shared.apply(.workerUnregistered(by: session.worker, params.names)) } catch {
      if case .nameResident(let name) = error {
        throw WireError(.nameConflict, "cannot unregister \(name): it is provided by the supervisor itself")
      }
      throw refusal(error, "stop it, and its names can be unregistered", of: session)
    }
    let gone = params.names.filter { !shared.isKnown($0) }
    shared.manager.assumeIsolated { $0.forgetOutputs(of: gone) }
    if workers[session.worker]?.names.isEmpty == false {
      let names = Set(params.names)
      workers[session.worker]?.names.removeAll(where: names.contains)
      notify(of: session.worker, isConnected: true)
      shared.logger.info("\(session.name) no longer provides \(NameList.shown(params.names))")
    }
    return gone
  }

  /// Removes names that a reload has removed, or given to commands, from the workers that provide them.
  func forget(_ names: Set<String>) {
    for (id, worker) in workers.sorted(by: { $0.key < $1.key }) where worker.names.contains(where: names.contains) {
      workers[id]?.names.removeAll(where: names.contains)
      notify(of: id, isConnected: true)
    }
  }

  private func provider(of name: String) -> Session? {
    workers.values.first(where: { $0.names.contains(name) })?.session
  }

  /// Returns the error for a reload that the machine refuses.
  func refusal(ofReload refusal: Refusal) -> WireError {
    guard case .nameTaken(let name) = refusal, let provider = provider(of: name) else { return WireError(refusal) }
    let pid = provider.peer.pid.map { " (pid \($0))" } ?? ""
    return WireError(
      .nameConflict,
      "cannot reload: \(name) is provided by \(provider.name)\(pid), which registered it; stop it first, or choose another name"
    )
  }

  /// Returns the error for the refusal of a registration.
  ///
  /// If a live provider is the reason, the error names it.
  ///
  /// `remedy` is what to do about another worker that provides the name.
  private func refusal(_ refusal: Refusal, _ remedy: String, of session: Session) -> WireError {
    guard case .nameTaken(let name) = refusal, let provider = provider(of: name) else { return WireError(refusal) }
    guard provider !== session else {
      return WireError(.nameConflict, "\(name) is already provided by this connection; unregister it first")
    }
    let pid = provider.peer.pid.map { " (pid \($0))" } ?? ""
    return WireError(.nameConflict, "\(name) is provided by \(provider.name)\(pid); \(remedy)")
  }

  private func notify(of id: WorkerID, isConnected: Bool) {
    guard let shape = workers[id]?.shape else { return }
    broadcast.publish(.worker(Status.Event.WorkerChange(worker: shape, connected: isConnected)), to: Topics(.worker))
  }

  /// Removes the registrations of a worker whose connection is lost (S21).
  func lose(_ id: WorkerID) {
    guard let worker = workers[id] else { return }
    if !worker.names.isEmpty {
      notify(of: id, isConnected: false)
      shared.logger.log(
        level: shared.isEnding ? .info : .warning,
        "\(worker.session.name), which provided \(worker.names.joined(separator: ", ")), has disconnected")
    }
    workers[id] = nil
    // If the claim of a run was lost, the run fails because of that, not because of the closed connection, which may be a consequence.
    for run in worker.runs.sorted() {
      guard let reason = coordination.loss(of: run) else { continue }
      shared.manager.assumeIsolated { $0.finish(run: run, .failure(.error(message: reason)), output: nil) }
    }
    try? shared.apply(.workerDisconnected(id))
    for run in worker.runs.sorted() {
      runs.removeValue(forKey: run)?.continuation.resume(throwing: Cause.workerLost)
    }
  }

  // MARK: Runs

  /// Returns the request for a run.
  ///
  /// - Throws: that its worker has disconnected, or why the request can't be encoded.
  func request(for context: RunContext, fence: Int?) throws -> [UInt8] {
    let start = context.start
    guard let worker = start.worker, workers[worker] != nil else { throw Cause.workerLost }
    let params = RunRequest(
      run: start.run.rawValue, initializer: start.initializer, pass: start.pass.rawValue, phase: start.phase,
      attempt: start.attempt, timeout: start.timeout?.inSeconds, fence: fence ?? shared.fence(in: start.phase),
      traceparent: context.traceparent,
      inputs: StartValues(
        context.inputs, for: context.initializer, limit: shared.limits.runs.outputBytes, logger: shared.logger
      ).outputs)
    return try Message.request(id: .string("run-\(start.run)"), params)
  }

  /// Sends a worker the request for a run; `continuation` is resumed when it has answered or disconnected.
  func start(_ context: RunContext, _ frame: [UInt8], then continuation: CheckedContinuation<Void, any Error>) {
    let start = context.start
    // Since the task was created, the worker may have disconnected, or the run may have been cancelled.
    guard let worker = start.worker, let session = workers[worker]?.session else {
      return continuation.resume(throwing: Cause.workerLost)
    }
    guard shared.read({ $0.stopReason(of: start.run) }) == nil else {
      return continuation.resume(throwing: CancellationError())
    }
    let once = coordination.isOnce(start.initializer) ? context : nil
    runs[start.run] = UnansweredRun(worker: worker, context: once, continuation: continuation)
    workers[worker]?.runs.insert(start.run)
    session.out.send(frame)
    shared.logger.info(
      "\(start.initializer) started, on \(session.name)",
      metadata: .event(
        .runStarted, initializer: start.initializer, pass: start.pass, run: start.run, attempt: start.attempt))
  }

  private func session(ofRun run: RunID) -> Session? { runs[run].flatMap { workers[$0.worker]?.session } }

  /// Asks a worker to stop a run.
  func cancel(_ run: RunID) {
    // If the claim was lost, the machine hasn't told the run to stop. As after a timeout, the run has failed regardless of the worker's
    // answer.
    let lost: CancelReason? = coordination.loss(of: run) == nil ? nil : .timeout
    guard let session = session(ofRun: run), let reason = shared.read({ $0.stopReason(of: run) }) ?? lost,
      let frame = try? Message.notification(CancelNotification(run: run.rawValue, reason: reason))
    else { return }
    session.out.send(frame)
  }

  /// Closes the connection of a worker that didn't stop a run in time (S13).
  func close(ofRun run: RunID) {
    guard let session = session(ofRun: run) else { return }
    shared.logger.warning("\(session.name) didn't stop run \(run) in time; its connection is closed")
    session.close()
  }

  /// Returns whether a run of this worker waits for the answer with this id.
  func isOpen(_ id: RequestID, _ session: Session) -> Bool {
    Self.run(of: id).map { workers[session.worker]?.runs.contains($0) == true } ?? false
  }

  private static func run(of id: RequestID?) -> RunID? {
    guard case .string(let text)? = id, text.hasPrefix("run-"), let run = Int(text.dropFirst(4)), text == "run-\(run)"
    else { return nil }
    return RunID(run)
  }

  /// Passes a worker's answer to the machine at once, so it counts even if the worker disconnects right after.
  func receiveAnswer(_ id: RequestID?, _ outcome: Envelope.Outcome, _ session: Session) {
    guard let run = Self.run(of: id), workers[session.worker]?.runs.remove(run) != nil,
      let waiting = runs.removeValue(forKey: run)
    else {
      return shared.logger.info(
        "\(session.name) answered \(id.map { "\($0)" } ?? "null"), which isn't an open request; the answer is ignored")
    }
    if let cpu = outcome.cpu { passes.record(cpu: .seconds(cpu), ofRun: run) }
    var result = RunResult.success
    var output: RemoteOutput?
    switch outcome {
    case .result(let value):
      do throws(RunOutput.Fault) {
        output = try RunOutput(result: value, isSecret: isSecret(run), limit: shared.limits.runs.outputBytes)
          .map { RemoteOutput(output: $0) }
      } catch {
        result = .failure(.error(message: "cannot use its output: \(error)"))
      }
    case .error(let error): result = .failure(.error(message: error.message))
    }
    guard let context = waiting.context else {
      shared.manager.assumeIsolated { [output] in $0.finish(run: run, result, output: output) }
      return waiting.continuation.resume()
    }
    if let output { context.handOver(output) }
    // The rest is up to the coordinator.
    try? shared.apply(.runDetached(run: run))
    switch result {
    case .success: waiting.continuation.resume()
    case .failure(let cause): waiting.continuation.resume(throwing: cause)
    }
  }

  /// Whether the manifest declares the run's output secret.
  private func isSecret(_ run: RunID) -> Bool {
    guard !secrets.isEmpty else { return false }
    return shared.read { $0.initializer(ofRun: run) }.map(secrets.contains) ?? false
  }

  /// Passes a worker's report on a run to the machine.
  func receiveProgress(_ params: ProgressNotification, _ session: Session) {
    guard workers[session.worker]?.runs.contains(RunID(params.run)) == true else {
      return shared.logger.debug(
        "\(session.name) reported progress of run \(params.run), which isn't its run; the report is ignored")
    }
    try? shared.apply(
      .runProgressed(
        run: RunID(params.run), fraction: params.fraction, message: params.message,
        extend: params.extend.map { .seconds($0) }))
  }
}
