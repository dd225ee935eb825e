internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitWire
internal import Logging
internal import Platform

/// The shutdown (S24): no new work is accepted, runs are cancelled and waited for, clients are notified, and the socket is removed.
final class Shutdown: Part {
  /// The parts that it ends.
  struct Parts {
    let alarm: LoopAlarm
    let app: AppProcess
    let commands: CommandRunner
    let connections: Connections
    let coordination: Coordination
    let idleMemory: IdleMemory
    let memory: Memory
    let passMemory: PassMemory
    let passes: PassBook
    let processes: Processes
    let report: ServiceReport
    let sockets: Sockets
    let waits: Waits
  }

  /// Called once, when everything has ended.
  var onEnd: (() -> Void)?

  let core: Core
  private let parts: Parts
  private var ending = Ending()
  /// How long it waits for killed processes.
  private let patience: Timer
  /// The signals that begin it.
  private var signals: [SignalSource] = []

  init(_ core: Core, of parts: Parts) {
    (self.core, self.parts) = (core, parts)
    patience = Timer(loop: core.loop, name: "end")
  }

  /// Begins it on these signals: the first one in order, a further one without waiting for runs.
  ///
  /// - Throws: why a signal can't be watched.
  func begin(on numbers: [Int32]) throws {
    for number in numbers {
      signals.append(try SignalSource(loop: loop, signal: number) { [weak self] in self?.signalled(number) })
    }
  }

  private func signalled(_ number: Int32) {
    if !core.isEnding, parts.app.forward(number) { return }
    parts.app.wasSignalled(number)
    if ending.noteSignal() { begin(because: "got \(SignalName.of(number))") } else { skipWaiting() }
  }

  /// Begins it; a second call has no effect.
  ///
  /// - Parameters:
  ///   - reason: for the log and the service manager.
  ///   - detail: details that the log already contains; only for the service manager.
  func begin(because reason: String, _ detail: String? = nil) {
    guard !core.isEnding else { return }
    logger.info("shutting down: \(reason)")
    // Waits fail first, before clients learn of cancelled runs.
    parts.waits.refuseAll(WireError(Refusal.shuttingDown))
    parts.report.tellOfEnd(because: detail.map { "\(reason): \($0)" } ?? reason)
    parts.processes.restartNone()
    parts.app.stop()
    try? core.apply(.shutdownRequested)
  }

  /// Ends now: kills all processes, and waits for them no longer than for a client that doesn't read its last message.
  func skipWaiting() {
    guard !ending.isEnded else { return }
    begin(because: "it is told not to wait")
    logger.warning("not waiting for what still runs: it is killed with SIGKILL")
    parts.app.kill()
    parts.processes.kill()
    end()
  }

  /// Continues the shutdown when no run is active in the machine any more.
  ///
  /// This is called in a step of the machine.
  func runsEnded() {
    loop.later { [weak self] in
      self?.ending.isQuiet = true
      self?.continueInOrder()
    }
  }

  /// Continues the shutdown when the completed initializers are stopped.
  ///
  /// This is called in a step of the machine.
  func initializersStopped() {
    ending.isStopped = true
    loop.later { [weak self] in self?.continueInOrder() }
  }

  /// Shuts down because the app has ended, or continues the shutdown.
  func appEnded() {
    begin(because: "the app ended")
    continueInOrder()
    finishIfAlone()
  }

  /// Finishes the shutdown if the manifest's worker that has changed was the last process.
  func processChanged() {
    if ending.isEnded { loop.later { [weak self] in self?.finishIfAlone() } }
  }

  /// Takes the next step; called again when that step is complete.
  private func continueInOrder() {
    let again: () -> Void = { [weak self] in self?.continueInOrder() }
    switch ending.next(
      isAppRunning: parts.app.isRunning, areWorkersStopped: parts.processes.areStopped,
      hasOrphans: parts.processes.adoptsOrphans)
    {
    case .wait: break
    case .stopWorker: parts.processes.stopLast(then: again)
    case .stopInitializers: try? core.apply(.stopsRequested)
    case .endOrphans: parts.processes.endOrphans(then: again)
    case .end: end()
    }
  }

  private func end() {
    ending.isEnded = true
    parts.sockets.stopAccepting()
    parts.commands.assumeIsolated { $0.close() }
    patience.start(after: limits.farewell) { [weak self] in self?.finishIfAlone() }
    parts.waits.settleAll()
    parts.connections.end()
    finishIfAlone()
  }

  /// Finishes the shutdown when the last connection is closed and the last process has exited: removes the socket and reports the end.
  func finishIfAlone() {
    let isImpatient = !patience.isActive
    let isIdle = !parts.app.isRunning && !parts.processes.areRunning && parts.commands.assumeIsolated { $0.isIdle }
    guard ending.isEnded, onEnd != nil, parts.connections.isEmpty, isImpatient || isIdle else { return }
    patience.close()
    parts.alarm.close()
    parts.processes.close()
    parts.report.close()
    parts.waits.close()
    parts.coordination.close()
    parts.idleMemory.close()
    // The state files are closed before the socket is removed: the next supervisor may start as soon as the socket is free.
    parts.memory.close()
    parts.passes.close()
    parts.passMemory.close()
    parts.sockets.close()
    for source in signals { source.close() }
    signals = []
    // Breaks the reference cycle between the manager and the supervisor.
    core.manager.assumeIsolated { $0.hooks = ManagerHooks() }
    logger.info("ended")
    core.manager.endStates()
    onEnd?()
    onEnd = nil
  }
}
