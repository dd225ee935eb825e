internal import AppInitializers
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// The end (S24): no new work, what runs is cancelled and waited for, every client is told, the socket is removed.
extension Supervisor {
  /// Has signals of the process end it: the first one in order, a further one without waiting for what runs.
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

  /// A signal of the process: the app's if it runs.
  ///
  /// - Returns: whether it was handed on.
  package func forwardToApp(_ signal: Int32) -> Bool { app.forward(signal) }

  /// Begins to end; a second call changes nothing.
  ///
  /// - Parameter reason: for the log.
  package func shutDown(because reason: String) {
    guard !core.isEnding else { return }
    logger.info("shutting down: \(reason)")
    // Before anything of it is told: what is waited for isn't to come.
    waits.refuseAll(WireError(Refusal.shuttingDown))
    report.tellOfEnd(because: reason)
    processes.restartNone()
    app.stop()
    try? core.apply(.shutdownRequested)
  }

  /// Ends now: what hasn't stopped is killed, and waited for no longer than a client that doesn't read its last.
  package func skipWaiting() {
    guard !ending.isEnded else { return }
    shutDown(because: "it is told not to wait")
    logger.warning("not waiting for what still runs")
    app.kill()
    processes.kill()
    end()
  }

  /// Ends what comes next, and calls this again when that has ended.
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

  /// Once the last connection is closed and the last killed process gone, the socket is removed and the end is told.
  func finishIfAlone() {
    let isImpatient = !patience.isActive
    let isIdle = !app.isRunning && !processes.areRunning && commands.assumeIsolated { $0.isIdle }
    guard ending.isEnded, onEnd != nil, connections.isEmpty, isImpatient || isIdle else { return }
    patience.close()
    alarm.close()
    processes.close()
    report.close()
    waits.close()
    // Before the socket is anybody's: the next supervisor may want both.
    memory.close()
    sockets.close()
    for source in endSignals { source.close() }
    endSignals = []
    // The manager and its supervisor hold each other until here.
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
