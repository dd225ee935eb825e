internal import AppInitializers
internal import EventLoop
internal import Glibc
internal import InitCore
internal import InitProcesses
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitTimeline
internal import InitWire
internal import Logging
internal import Platform

/// Carries out the shutdown (S24): no new work is accepted, runs are cancelled and waited for, clients are notified, and the socket is
/// removed.
final class Shutdown {
  /// Called once, when everything has ended.
  var onEnd: (() -> Void)?

  let shared: SupervisorContext
  private let records: Records
  private let execution: Execution
  private let clients: ClientServer
  private var ending = Ending()
  /// How long the shutdown waits for killed processes.
  private let patience: Timer
  /// Fires when a person at the terminal should know what the shutdown waits for.
  private let notice: Timer
  /// The signals that begin the shutdown.
  private var signals: [SignalSource] = []
  private var endingSignals = EndingSignals()

  init(_ shared: SupervisorContext, records: Records, execution: Execution, clients: ClientServer) {
    self.shared = shared
    self.records = records
    self.execution = execution
    self.clients = clients
    patience = Timer(loop: shared.loop, name: "end")
    notice = Timer(loop: shared.loop, name: "notice of the end")
    execution.app.onFault = { [weak self] in self?.begin(because: $0, $1) }
    execution.app.onEnd = { [weak self] in self?.appEnded() }
    execution.processes.onChange = { [weak self] in
      self?.clients.waits.answer($0)
      self?.processChanged()
    }
    execution.processes.onStop = { [weak self] in self?.continueInOrder() }
    execution.commands.onIdle = { [weak self] in self?.finishIfAlone() }
    execution.fingerprints.onIdle = { [weak self] in self?.finishIfAlone() }
    clients.requests.onShutdown = { [weak self] in self?.begin(because: $0) }
    clients.server.onClose = { [weak self] in self?.finishIfAlone() }
  }

  /// Begins the shutdown on these signals: the first one in order, a further one without waiting for runs.
  ///
  /// - Throws: why a signal can't be watched.
  func begin(on numbers: [Int32]) throws {
    for number in numbers {
      signals.append(try SignalSource(loop: shared.loop, signal: number) { [weak self] in self?.signalled(number) })
    }
  }

  private func signalled(_ number: Int32) {
    if !shared.isEnding, execution.app.forward(number) { return }
    execution.app.wasSignalled(number)
    switch endingSignals.record(number, at: shared.loop.now) {
    case .end: begin(because: "got \(SignalName.of(number))")
    case .echo: break
    case .skip: skipWaiting()
    }
  }

  /// Begins the shutdown; a second call has no effect.
  ///
  /// - Parameters:
  ///   - reason: the reason for the log and the service manager.
  ///   - detail: details that the log already contains; only for the service manager.
  func begin(because reason: String, _ detail: String? = nil) {
    guard !shared.isEnding else { return }
    shared.logger.info("shutting down: \(reason)")
    // Waits fail first, before clients learn of cancelled runs.
    clients.waits.refuseAll(WireError(Refusal.shuttingDown))
    execution.report.notifyOfEnd(because: detail.map { "\(reason): \($0)" } ?? reason)
    if shared.configuration.isWholeProcess, isatty(STDERR_FILENO) == 1 {
      notice.start(after: .seconds(1)) { [weak self] in self?.tellWhatIsAwaited() }
    }
    execution.processes.restartNone()
    execution.app.stop()
    try? shared.apply(.shutdownRequested)
  }

  private func tellWhatIsAwaited() {
    let names = execution.processes.namesRunning + shared.read { $0.namesInFlight }
    guard !ending.isEnded, !names.isEmpty else { return }
    shared.logger.info("waiting for the end of \(Phrases.list(names)); a second Ctrl-C kills what still runs")
  }

  /// Ends now: kills all processes, and waits for them no longer than for a client that doesn't read its last message.
  func skipWaiting() {
    guard !ending.isEnded else { return }
    begin(because: "it is told not to wait")
    shared.logger.warning("not waiting for what still runs: it is killed with SIGKILL")
    execution.app.kill()
    execution.processes.kill()
    end()
  }

  /// Continues the shutdown when no run is active in the machine any more.
  ///
  /// This is called in a step of the machine.
  func runsEnded() {
    shared.loop.later { [weak self] in
      self?.ending.isQuiet = true
      self?.continueInOrder()
    }
  }

  /// Continues the shutdown when the completed initializers are stopped.
  ///
  /// This is called in a step of the machine.
  func initializersStopped() {
    ending.isStopped = true
    shared.loop.later { [weak self] in self?.continueInOrder() }
  }

  /// Shuts down because the app has ended, or continues the shutdown.
  func appEnded() {
    begin(because: "the app ended")
    continueInOrder()
    finishIfAlone()
  }

  /// Finishes the shutdown if the manifest's worker that has changed was the last process.
  func processChanged() {
    if ending.isEnded { shared.loop.later { [weak self] in self?.finishIfAlone() } }
  }

  /// Takes the next step; called again when that step is complete.
  private func continueInOrder() {
    switch ending.next(
      isAppRunning: execution.app.isRunning, areWorkersStopped: execution.processes.areStopped,
      hasOrphans: execution.processes.adoptsOrphans)
    {
    case .wait: break
    case .stopProcesses: execution.processes.stopNext()
    case .stopInitializers: try? shared.apply(.stopsRequested)
    case .endOrphans: execution.processes.endOrphans { [weak self] in self?.continueInOrder() }
    case .end: end()
    }
  }

  private func end() {
    ending.isEnded = true
    execution.commands.close()
    execution.fingerprints.close()
    patience.start(after: shared.limits.clients.farewell) { [weak self] in self?.finishIfAlone() }
    clients.end()
    finishIfAlone()
  }

  /// Finishes the shutdown when the last connection is closed and the last process has exited: removes the socket and reports the end.
  func finishIfAlone() {
    let isImpatient = !patience.isActive
    guard ending.isEnded, onEnd != nil, clients.server.isEmpty, isImpatient || execution.isIdle else { return }
    patience.close()
    notice.close()
    execution.close()
    clients.close()
    // The state files are closed before the socket is removed: the next supervisor may start as soon as the socket is free.
    records.close()
    clients.closeSockets()
    for source in signals { source.close() }
    signals = []
    // No further notice is handled.
    shared.manager.assumeIsolated { $0.hooks = ManagerHooks() }
    shared.logger.info("ended")
    shared.manager.endStates()
    onEnd?()
    onEnd = nil
  }
}
