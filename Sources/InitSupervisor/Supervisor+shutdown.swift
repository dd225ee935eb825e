internal import AppInitializers
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging

/// The end (S24): no new work, what runs is cancelled and waited for, every client is told, the socket is removed.
extension Supervisor {
  /// Has signals of the process end it: the first one in order, a further one without waiting for what runs.
  ///
  /// - Throws: why a signal can't be watched.
  package func end(on signals: [Int32]) throws {
    for number in signals {
      let source = try SignalSource(loop: loop, signal: number) { [weak self] in
        self?.assumeIsolated { supervisor in
          if !supervisor.read({ $0.isEnding }), supervisor.forwardToApp(number) { return }
          supervisor.endSignalsSeen += 1
          supervisor.appWasSignalled(number)
          guard supervisor.endSignalsSeen == 1 else { return supervisor.skipWaiting() }
          supervisor.shutDown(because: "got \(SignalName.of(number))")
        }
      }
      endSignals.append(source)
    }
  }

  /// Begins to end; a second call changes nothing.
  ///
  /// - Parameter reason: for the log.
  package func shutDown(because reason: String) {
    guard !read({ $0.isEnding }) else { return }
    logger.info("shutting down: \(reason)")
    // Before anything of it is told: what is waited for isn't to come.
    refuseWaits(WireError(Refusal.shuttingDown))
    tellServiceManagerOfEnd(because: reason)
    for process in kept { process.isLast = true }
    stopApp()
    try? apply(.shutdownRequested)
  }

  /// Ends now: what hasn't stopped is killed, and waited for no longer than a client that doesn't read its last.
  package func skipWaiting() {
    guard !isEnded else { return }
    shutDown(because: "it is told not to wait")
    logger.warning("not waiting for what still runs")
    killProcesses()
    end()
  }

  /// Everything has stopped, or is made to.
  func end() {
    guard !isEnded else { return }
    isEnded = true
    listener?.stopAccepting()
    observeListener?.stopAccepting()
    commands.assumeIsolated { $0.close() }
    patience.start(after: limits.farewell) { [weak self] in self?.assumeIsolated { $0.finishIfAlone() } }
    settleAll()
    for session in sessions.values.sorted(by: { $0.id < $1.id }) {
      guard session.isReachable else { continue }
      makeAllReplies(session)
      tell(session, .shutdown)
      farewell(session)
    }
    finishIfAlone()
  }

  /// Once the last connection is closed and the last killed process gone, the socket is removed and the end is told.
  func finishIfAlone() {
    let isImpatient = !patience.isActive
    let isIdle = !isAppRunning && !kept.contains(where: \.isRunning) && commands.assumeIsolated { $0.isIdle }
    guard isEnded, onEnd != nil, sessions.isEmpty, isImpatient || isIdle else { return }
    patience.close()
    alarm.close()
    orphans?.close()
    watchdog.close()
    waitTimer.close()
    // Before the socket is anybody's: the next supervisor may want both.
    saveAtEnd()
    journal = nil
    stopListening()
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
