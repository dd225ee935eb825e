internal import AppInitializers
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// The shutdown (S24): no new work is accepted, runs are cancelled and waited for, clients are notified, and the socket is removed.
extension Supervisor {
  /// Ends the supervisor on these signals: the first one in order, a further one without waiting for runs.
  ///
  /// - Throws: why a signal can't be watched.
  package func end(on signals: [Int32]) throws {
    for number in signals {
      endSignals.append(
        try SignalSource(loop: loop, signal: number) { [weak self] in self?.assumeIsolated { $0.signalled(number) } })
    }
  }

  private func signalled(_ number: Int32) {
    if !core.isEnding, app.forward(number) { return }
    app.wasSignalled(number)
    if ending.noteSignal() { shutDown(because: "got \(SignalName.of(number))") } else { skipWaiting() }
  }

  /// Forwards a signal of the process to the app if it runs.
  ///
  /// - Returns: whether it was forwarded.
  package func forwardToApp(_ signal: Int32) -> Bool { app.forward(signal) }

  /// Begins the shutdown; a second call has no effect.
  ///
  /// - Parameter reason: for the log.
  package func shutDown(because reason: String) {
    guard !core.isEnding else { return }
    logger.info("shutting down: \(reason)")
    // Waits fail first, before clients learn of cancelled runs.
    waits.refuseAll(WireError(Refusal.shuttingDown))
    report.tellOfEnd(because: reason)
    processes.restartNone()
    app.stop()
    try? core.apply(.shutdownRequested)
  }

  /// Ends now: kills all processes, and waits for them no longer than for a client that doesn't read its last message.
  package func skipWaiting() {
    guard !ending.isEnded else { return }
    shutDown(because: "it is told not to wait")
    logger.warning("not waiting for what still runs")
    app.kill()
    processes.kill()
    end()
  }

  /// Takes the next step of the shutdown; called again when that step is complete.
  func endInOrder() {
    let again: () -> Void = { [weak self] in self?.assumeIsolated { $0.endInOrder() } }
    switch ending.next(
      isAppRunning: app.isRunning, areWorkersStopped: processes.areStopped, hasOrphans: processes.adoptsOrphans)
    {
    case .wait: break
    case .stopWorker: processes.stopLast(then: again)
    case .stopInitializers: try? core.apply(.stopsRequested)
    case .endOrphans: processes.endOrphans(then: again)
    case .end: end()
    }
  }

  private func end() {
    ending.isEnded = true
    sockets.stopAccepting()
    commands.assumeIsolated { $0.close() }
    patience.start(after: configuration.limits.farewell) { [weak self] in self?.assumeIsolated { $0.finishIfAlone() } }
    waits.settleAll()
    connections.end()
    finishIfAlone()
  }

  /// When the last connection is closed and the last process has exited, removes the socket and reports the end.
  func finishIfAlone() {
    let isImpatient = !patience.isActive
    let isIdle = !app.isRunning && !processes.areRunning && commands.assumeIsolated { $0.isIdle }
    guard ending.isEnded, onEnd != nil, connections.isEmpty, isImpatient || isIdle else { return }
    patience.close()
    alarm.close()
    processes.close()
    report.close()
    waits.close()
    // The state file is closed before the socket is removed: the next supervisor may start as soon as the socket is free.
    memory.close()
    passMemory.close()
    sockets.close()
    for source in endSignals { source.close() }
    endSignals = []
    // Breaks the reference cycle between the manager and the supervisor.
    manager.assumeIsolated { manager in
      manager.observer = nil
      manager.onFinish = nil
      manager.onStopped = nil
      manager.workerProvider = nil
    }
    logger.info("ended")
    manager.endStates()
    onEnd?()
    onEnd = nil
  }
}
