package import EventLoop
internal import InitJSON
internal import InitModel
internal import InitText
package import InitWire
internal import InitWords
package import Platform

// Invariants:
//
// 1. On each connection, all initializers are registered together, before any of their runs is requested.
// 2. Every run is answered exactly once, after its body has ended: with −32008 if it was cancelled, regardless of the result of its body.
// 3. When the connection is lost, the worker cancels all runs. It reconnects only when they have stopped, so no initializer runs twice at
//    once (S13).
// 4. If the first registration fails, serving ends with the error. Later registrations are retried with backoff: the supervisor may be
//    starting, or may not have noticed yet that the old connection has ended.
// 5. If its task is cancelled, the worker unregisters, cancels all runs, waits until they have stopped, answers them, and disconnects. After
//    `cancelGrace` it disconnects without the answers of runs that haven't stopped.

/// A worker: it registers initializers and runs them when the supervisor requests it.
///
/// ```swift
/// let worker = WorkerService(loop: loop, path: path, program: program, initializers: [
///   WorkerInitializer(RegisterRequest.Registration(name: "favorites")) { run in
///     await run.report(fraction: 0.5)
///     try await loadFavorites()
///   }
/// ])
/// try await worker.serve()
/// ```
package actor WorkerService {
  /// A change of a worker's connection, for its log.
  package enum Change: Sendable, Equatable {
    /// Registered, for the first time or again.
    case registered
    /// The connection was lost; all runs were cancelled.
    case lost(ClientError)
    /// Registering again failed and is being retried; reported when the reason changes.
    case notRegistered(ClientError)
    /// No supervisor is running yet; reported once, after a second of waiting.
    case waiting(ClientError)
  }

  /// The loop as an executor.
  package nonisolated let loop: Loop
  /// The loop.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let path: String
  private let program: HelloRequest.Program
  private let initializers: [String: WorkerInitializer]
  private let registrations: [RegisterRequest.Registration]
  private let executor: any TaskExecutor
  private let cancelGrace: Duration?
  private let replyTimeout: Duration?
  private let onChange: @Sendable (Change) -> Void
  private let onRunChange: @Sendable (WorkerRunChange) -> Void
  /// Sleeps before the next attempt to connect; tests replace it to check the delays.
  var pause: @Sendable (Loop, Duration) async -> Void = { await Sleep.on($0, for: $1) }
  private var hasReportedRegistered = false
  private var hasReportedWaiting = false
  private var signals: [SignalSource] = []
  private var runs: [Int: OpenRun] = [:]
  /// The outputs of runs that haven't ended.
  private(set) var outputs: [Int: RunOutput] = [:]
  /// The CPU time of runs that haven't ended, if it is known.
  private var cpu: [Int: Duration] = [:]

  private struct OpenRun {
    let params: RunRequest
    let task: Task<Void, Never>
    let stop: WorkerRun.StopReason
    var isStopping = false
    /// Whether the run can't be answered.
    var isLost = false
  }

  /// How long the supervisor may take to answer `unregister`, when serving ends.
  private static let unregisterTimeout = Duration.milliseconds(1500)

  /// Creates a worker; `serve` starts it.
  ///
  /// - Parameters:
  ///   - loop: the event loop of the worker.
  ///   - path: the path of the supervisor's socket.
  ///   - program: the name and version of the worker; Status shows the name.
  ///   - initializers: the initializers of the worker, each name once.
  ///   - executor: runs the bodies; if nil, the loop runs them, so they must not block. For blocking bodies, see `ThreadExecutor`.
  ///   - cancelGrace: the maximum time for runs to stop at the end of serving; if nil, the worker waits for them.
  ///   - replyTimeout: the maximum time for the supervisor's answer to a request; nil for no limit.
  ///   - onChange: called for each change, on the loop's thread.
  ///   - onRunChange: called for each change of a run, on the loop's thread.
  package init(
    loop: Loop, path: String, program: HelloRequest.Program, initializers: [WorkerInitializer],
    executor: (any TaskExecutor)? = nil, cancelGrace: Duration? = nil, replyTimeout: Duration? = nil,
    onChange: @escaping @Sendable (Change) -> Void = { _ in },
    onRunChange: @escaping @Sendable (WorkerRunChange) -> Void = { _ in }
  ) {
    self.loop = loop
    self.path = path
    self.program = program
    self.initializers = Dictionary(initializers.map { ($0.registration.name, $0) }) { first, _ in first }
    self.registrations = initializers.map(\.registration)
    self.executor = executor ?? loop
    self.cancelGrace = cancelGrace
    self.replyTimeout = replyTimeout
    self.onChange = onChange
    self.onRunChange = onRunChange
  }

  /// Registers and runs until the calling task is cancelled; then it unregisters, waits until everything has stopped, and
  /// returns.
  ///
  /// - Parameter within: how long to wait the first time for a supervisor that isn't running yet, or that is restarting; nil to not wait.
  /// - Throws: `ClientError` if the first registration fails, or a later one can never succeed.
  package func serve(within: Duration? = nil) async throws(ClientError) {
    var pauses = ConnectPauses()
    var wasRegistered = false
    var lastTrouble: ClientError?
    let start = loop.now
    defer { signals = [] }
    while !Task.isCancelled {
      var failure: ClientError?
      do throws(ClientError) {
        let client = try await Client.connect(
          loop: loop, path: path, program: program,
          within: wasRegistered ? nil : within.map { max($0 - (loop.now - start), .zero) },
          replyTimeout: replyTimeout,
          onWaiting: { [weak self] reason in self?.assumeIsolated { $0.reportWaiting(reason) } })
        try await register(on: client)
        wasRegistered = true
        lastTrouble = nil
        pauses.reset()
        reportRegistered()
        guard let reason = await client.untilClosed() else { return await leave(client) }
        hasReportedRegistered = false
        onChange(.lost(reason))
        await stopRuns(isLost: true, within: cancelGrace)
      } catch {
        guard !Task.isCancelled else { return }
        let isWaiting = within.map { loop.now - start < $0 } ?? false
        guard wasRegistered ? error.mayPassForWorker : isWaiting && error.mayPass else { throw error }
        if error != lastTrouble { onChange(.notRegistered(error)) }
        lastTrouble = error
        failure = error
      }
      await pause(loop, pauses.next(after: failure))
    }
  }

  private func register(on client: Client) async throws(ClientError) {
    await client.setListener(
      ClientListener(
        onRun: { [weak self, weak client] id, params in
          guard let self, let client else { return }
          assumeIsolated { $0.start(id, params, on: client) }
        },
        onCancel: { [weak self] cancel in self?.assumeIsolated { $0.stop(cancel.run, cancel.reason) } }))
    do throws(ClientError) {
      _ = try await client.send(RegisterRequest(initializers: registrations))
    } catch {
      // A worker that was cancelled in the meantime may still have been registered.
      if error == .cancelled { await leave(client) }
      await client.close()
      await stopRuns(isLost: true, within: cancelGrace)
      throw error
    }
  }

  /// Reports once that the worker is registered.
  ///
  /// This is called for the answer to `register` and for each run, because the first run may be read together with that answer.
  private func reportRegistered() {
    guard !hasReportedRegistered else { return }
    hasReportedRegistered = true
    onChange(.registered)
  }

  /// Calls back on the first of these signals.
  ///
  /// A second signal then has its default action, which ends the process.
  ///
  /// - Throws: `SystemError` if a signal can't be watched.
  package func onFirst(of numbers: [Int32], _ action: @escaping @Sendable () -> Void) throws(SystemError) {
    for number in numbers {
      signals.append(
        try SignalSource(loop: loop, signal: number) { [weak self] in
          self?.assumeIsolated { $0.signals = [] }
          action()
        })
    }
  }

  private func reportWaiting(_ reason: ClientError) {
    guard !hasReportedWaiting else { return }
    hasReportedWaiting = true
    onChange(.waiting(reason))
  }

  private func start(_ id: RequestID, _ params: RunRequest, on client: Client) {
    reportRegistered()
    let body = initializers[params.initializer]?.body
    let stop = WorkerRun.StopReason()
    let task = Task(executorPreference: executor) {
      var failure: WireError?
      do {
        guard let body else {
          throw WireError.invalidParams(
            "params.initializer", "must be the name of a registered initializer, not \"\(params.initializer)\"")
        }
        try await body(WorkerRun(params: params, stopReason: stop, client: client, worker: self))
      } catch {
        failure = .answer(error)
      }
      var end = failure == nil ? WorkerRunChange.End.complete : .failed
      if Task.isCancelled {
        failure = WireError(.cancelled, "the run was cancelled, and has stopped")
        end = .cancelled
      }
      await self.end(params.run, end, answering: id, failure, on: client)
    }
    onRunChange(.began(params))
    runs[params.run] = OpenRun(params: params, task: task, stop: stop)
  }

  private func stop(_ number: Int, _ reason: CancelReason?, isLost: Bool = false) {
    guard let run = runs[number] else { return }
    if isLost { runs[number]?.isLost = true }
    guard !run.isStopping else { return }
    runs[number]?.isStopping = true
    if isLost { run.stop.isLost = true } else { run.stop.reason = reason }
    onRunChange(isLost ? .lost(run.params) : .cancelled(run.params, reason))
    run.task.cancel()
  }

  /// Answers a run that has stopped, and reports it before the supervisor's next message is read, which may be a run that waited for it.
  private func end(
    _ number: Int, _ end: WorkerRunChange.End, answering id: RequestID, _ failure: WireError?, on client: Client
  ) {
    let told = RunAnswer(
      output: outputs.removeValue(forKey: number), cpu: cpu.removeValue(forKey: number)?.inSeconds)
    let isAnswered = client.assumeIsolated { client in
      client.answer(id, failure.map { .failure(told.error($0)) } ?? .success(told.result))
      return client.isOpen
    }
    guard let run = runs.removeValue(forKey: number) else { return }
    onRunChange(.ended(run.params, run.isLost || !isAnswered ? .lost : end))
  }

  func keep(_ output: RunOutput, of run: Int) {
    guard runs[run] != nil else { return }
    outputs[run] = output
  }

  func keep(cpu used: Duration, of run: Int) {
    guard runs[run] != nil else { return }
    cpu[run] = used
  }

  /// The initializers of runs that haven't stopped.
  package var running: [String] { runs.values.map(\.params.initializer).sorted() }

  /// Cancels all runs, and waits until they have stopped; when the calling task is cancelled, for `grace` at most.
  private func stopRuns(isLost: Bool = false, within grace: Duration?) async {
    let stopping = runs.values.map(\.task)
    for run in runs.keys { stop(run, .unregistered, isLost: isLost) }
    let (ends, told) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task {
      for run in stopping { await run.value }
      told.finish()
    }
    await withTaskCancellationHandler {
      // In a task of its own, as a stream ends when the task that reads it is cancelled.
      await Task { for await _ in ends {} }.value
    } onCancel: {
      guard let grace else { return }
      Task {
        await Sleep.on(loop, for: grace)
        told.finish()
      }
    }
    waiting.cancel()
  }

  /// Ends the service, after its task was cancelled.
  private func leave(_ client: Client) async {
    let start = loop.now
    let names = registrations.map(\.name)
    let limit = min(Self.unregisterTimeout, cancelGrace ?? Self.unregisterTimeout)
    // Before any run stops: otherwise the answer to a run that the supervisor hasn't cancelled would fail that run (S21). In a task of its
    // own, as a cancelled one can't wait for answers.
    await Task(executorPreference: loop) {
      _ = try? await client.send(UnregisterRequest(names: names), within: limit)
    }.value
    await stopRuns(within: cancelGrace.map { max($0 - (loop.now - start), .zero) })
    await client.close()
  }
}

extension ClientError {
  /// Whether a later attempt of a worker that was registered before can succeed.
  fileprivate var mayPassForWorker: Bool {
    if case .refused(let error) = self, error.knownCode == .nameConflict { return true }
    return mayPassAfterLoss
  }
}
