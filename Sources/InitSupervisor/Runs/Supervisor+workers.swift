internal import AppInitializers
internal import InitBridge
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// A run that a worker was asked for, until it has answered or gone.
struct RemoteRun {
  let session: Int
  let continuation: CheckedContinuation<Void, any Error>
}

/// Workers as a provider: a run is a request to the connection that registered the name, and its answer is the run's end.
struct WorkerProvider: InitializerProvider {
  let supervisor: Supervisor

  var executor: (any TaskExecutor)? { supervisor.loop }
  func run(_ context: RunContext) async throws { try await supervisor.runOnWorker(context) }

  func forceStop(run: Int) {
    supervisor.loop.perform { supervisor.assumeIsolated { $0.closeWorker(ofRun: run) } }
  }
}

/// Registration and runs (protocol §6, S18–S22).
extension Supervisor {
  func takeRegister(_ params: RegisterParams, id: RequestID, _ session: Session) throws(WireError) {
    let names = params.initializers.map(\.name)
    let known = read { machine in (machine.initializerCount, names.count { machine.initializer(named: $0) == nil }) }
    guard known.0 + known.1 <= limits.initializers else {
      throw WireError(
        .limitExceeded, "cannot know more than \(limits.initializers) initializers", detail: .limit("initializers"))
    }
    let bytes = params.initializers.reduce(0) {
      $0 + Registration($1).declaration(over: Declaration($1.name)).nameBytes
    }
    guard read({ $0.sizeOfDeclarations }) + bytes <= limits.declarationBytes else {
      throw WireError(
        .limitExceeded,
        """
        names and dependencies of all initializers would have more than \(limits.declarationBytes) bytes: declare fewer dependencies, or raise \
        --limit declarationBytes
        """,
        detail: .limit("declarationBytes"))
    }
    try control(
      .workerRegistered(session.id, process: session.peer.pid, params.initializers.map(Registration.init)))
    session.isWorker = true
    session.registered += names
    tellOfWorker(session)
    logger.info("\(session.name) provides \(Warnings.shown(names))")
    answer(session, id, result: RegisterResult(registered: names))
  }

  func takeUnregister(_ params: UnregisterParams, id: RequestID, _ session: Session) throws(WireError) {
    // What nobody provides any more is taken away by who may control; a worker takes its own.
    let isOwn = read { [id = session.id] machine in params.names.allSatisfy { machine.isProvided($0, by: id) } }
    guard session.roles.contains(.control) || isOwn else {
      throw WireError(
        .notPermitted,
        "cannot unregister what isn't your own: you may register here; ask who may control the supervisor")
    }
    try control(.workerUnregistered(by: session.id, params.names))
    let gone = params.names.filter { name in read { $0.initializer(named: name) } == nil }
    manager.assumeIsolated { $0.forgetOutputs(of: gone) }
    forget(gone)
    if !session.registered.isEmpty {
      let names = Set(params.names)
      session.registered.removeAll(where: names.contains)
      tellOfWorker(session)
      logger.info("\(session.name) no longer provides \(Warnings.shown(params.names))")
    }
    answer(session, id, result: EmptyResult())
  }

  private func tellOfWorker(_ session: Session) {
    publish(.worker(WorkerEvent(worker: WorkerShape(session), connected: true)), topics: [.worker])
  }

  /// A connection is gone, and with it whatever it provided (S21).
  func loseWorker(_ session: Session) {
    guard session.isWorker else { return }
    let runs = session.runs.sorted()
    if !session.registered.isEmpty {
      publish(.worker(WorkerEvent(worker: WorkerShape(session), connected: false)), topics: [.worker])
      let level: Logger.Level = read({ $0.isEnding }) ? .info : .warning
      logger.log(level: level, "\(session.name), which provided \(session.registered.joined(separator: ", ")), is gone")
    }
    session.registered = []
    session.runs = []
    try? apply(.workerDisconnected(session.id))
    for run in runs { workerRuns.removeValue(forKey: run)?.continuation.resume(throwing: Cause.workerLost) }
  }

  /// Asks a worker for a run and waits for its answer.
  ///
  /// - Throws: what the worker answered, or that it is gone.
  func runOnWorker(_ context: RunContext) async throws {
    try Task.checkCancellation()
    let start = context.start
    guard let worker = start.worker, let session = sessions[worker], session.state == .open else {
      throw Cause.workerLost
    }
    let params = RunParams(
      run: start.run, initializer: start.initializer, pass: start.pass, phase: start.phase,
      attempt: start.attempt, timeout: start.timeout?.inSeconds,
      inputs: context.remoteInputs(limit: limits.outputBytes, logger: logger))
    let frame = try Message.request(id: .string("run-\(start.run)"), .run(params))
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        // Between the task's start and here the worker may have gone, or the run have been cancelled.
        guard session.state == .open else { return continuation.resume(throwing: Cause.workerLost) }
        guard read({ $0.stopReason(of: start.run) }) == nil else {
          return continuation.resume(throwing: CancellationError())
        }
        workerRuns[start.run] = RemoteRun(session: worker, continuation: continuation)
        session.runs.insert(start.run)
        send(frame, to: session)
        logger.info(
          "\(start.initializer) started, on \(session.name)",
          metadata: .event(
            .runStarted, initializer: start.initializer, pass: start.pass, run: start.run, attempt: start.attempt))
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.cancelOnWorker(start.run) } }
    }
  }

  private func cancelOnWorker(_ run: Int) {
    guard let session = workerRuns[run].flatMap({ sessions[$0.session] }),
      let reason = read({ $0.stopReason(of: run) }),
      let frame = try? Message.notification(.cancel(CancelParams(run: run, reason: reason)))
    else { return }
    send(frame, to: session)
  }

  /// A worker answered. The machine is told at once: the worker may be gone the next moment, and its answer was in time.
  func takeAnswer(_ id: RequestID?, _ outcome: Envelope.Outcome, _ session: Session) {
    guard case .string(let text)? = id, text.hasPrefix("run-"), let run = Int(text.dropFirst(4)), text == "run-\(run)",
      session.runs.remove(run) != nil, let waiting = workerRuns.removeValue(forKey: run)
    else {
      return logger.info(
        "\(session.name) answered \(id.map { "\($0)" } ?? "null"), which it wasn't asked; it is ignored")
    }
    var result = RunResult.success
    var output: RemoteOutput?
    switch outcome {
    case .result(let value):
      do throws(RunOutput.Fault) {
        output = try RunOutput(result: value, isSecret: isSecret(run), limit: limits.outputBytes)
          .map { RemoteOutput(output: $0) }
      } catch {
        result = .failure(.error(message: "cannot hand over its output: \(error)"))
      }
    case .error(let error): result = .failure(.error(message: error.message))
    }
    manager.assumeIsolated { [output] in $0.finish(run: run, result, output: output) }
    waiting.continuation.resume()
  }

  /// Whether the manifest says that what the run hands over mustn't be seen.
  private func isSecret(_ run: Int) -> Bool {
    guard !secrets.isEmpty else { return false }
    return read { $0.initializer(ofRun: run) }.map(secrets.contains) ?? false
  }

  func take(_ notification: Notification, _ session: Session) {
    switch notification {
    case .progress(let params):
      guard session.runs.contains(params.run) else {
        return logger.debug(
          "\(session.name) reported progress of run \(params.run), which it doesn't run; it is ignored")
      }
      try? apply(
        .runProgressed(
          run: params.run, fraction: params.fraction, message: params.message,
          extend: params.extend.map { .seconds($0) }))
    case .cancel, .event: break
    }
  }

  /// A worker was told to stop a run and hasn't: its connection is closed (S13).
  func closeWorker(ofRun run: Int) {
    guard let session = workerRuns[run].flatMap({ sessions[$0.session] }) else { return }
    logger.warning("\(session.name) didn't stop run \(run) in time; its connection is closed")
    close(session)
  }
}

extension WorkerShape {
  init(_ session: Session) {
    self.init(client: session.name, pid: session.peer.pid.map(Int.init), initializers: session.registered)
  }
}
