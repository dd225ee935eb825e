internal import Glibc
internal import InitCore
internal import InitWire
package import Libuv
internal import Logging

/// The app (`initd -- APP`): started once ready, never if initialization failed; its end is the supervisor's.
enum AppState {
  /// There is none.
  case none
  /// Until everything is ready.
  case waiting
  /// It is about to be started or refused, in the loop's next turn.
  case decided
  case running(ChildProcess)
  /// It has ended, couldn't be started, or never was.
  case ended
}

extension Supervisor {
  /// The states have changed. Called in a step of the machine: what follows happens in the next turn, before which signals are looked at: who
  /// is told to end before the app has been started doesn't start it.
  func considerApp(_ record: StateRecord) {
    guard case .waiting = app else { return }
    if record.isReady {
      app = .decided
      loop.performNextTurn { [weak self] in self?.assumeIsolated { $0.startApp() } }
    } else if case .failed(let failure) = record.composite {
      app = .decided
      later { $0.refuseApp(failure) }
    }
  }

  private func startApp() {
    guard !read({ $0.isEnding }), let command = configuration.app else { return }
    let name = command.arguments.joined(separator: " ")
    do throws(SpawnError) {
      let block = try configuration.appEnvironment()
      let child = try ChildProcess(
        loop: loop, arguments: command.arguments, environment: block, directory: command.directory, place: .foreground,
        streams: try ChildStreams(loop: loop, input: .inherited)
      ) { [weak self] status in self?.assumeIsolated { $0.appEnded(status) } }
      app = .running(child)
      logger.info("started \(name), pid \(child.pid)")
      tellServiceManagerOfApp()
    } catch {
      exitStatus = error.exitStatus
      app = .ended
      logger.critical("\(error)")
      shutDown(because: "\(error)")
    }
  }

  private func refuseApp(_ failure: Failure) {
    app = .ended
    exitStatus = 1
    logger.critical("the app is not started: \(failure)")
    // A log that tells no warnings hasn't shown what the failed attempt wrote.
    if configuration.outputInLog == .failed, logger.logLevel > .warning {
      for line in logs.last(Self.shownLines, of: failure.initializer) { logger.critical(line.inLog) }
    }
    shutDown(because: "initialization failed: \(failure)")
  }

  private func appEnded(_ status: ExitStatus) {
    if case .running(let child) = app {
      Terminal.takeBack(from: child.pid)
      if let report = child.leftBehind.report(of: "the app") {
        logger.warning("\(report)", metadata: .event(.leftBehind))
      }
    }
    app = .ended
    switch status {
    case .exited(let status): exitStatus = status
    case .signaled(let number): exitStatus = 128 + number
    case .unknown: exitStatus = 1
    }
    logger.info("the app \(status.predicate)")
    // The app is no longer active, and neither is anything of it.
    if !read({ $0.isEnding }) { try? apply(.deactivated) }
    shutDown(because: "the app ended")
    endInOrder()
    finishIfAlone()
  }

  /// A signal of the process: the app's if it runs.
  ///
  /// - Returns: whether it was handed on.
  package func forwardToApp(_ signal: Int32) -> Bool {
    guard case .running(let child) = app, child.signal(signal) else { return false }
    // One that is stopped would get it only when it goes on.
    if [SIGTERM, SIGINT, SIGHUP].contains(signal), child.isStopped { child.signal(SIGCONT) }
    return true
  }

  /// A signal that ends came before the app was started: what its own status would have been.
  package func appWasSignalled(_ signal: Int32) {
    switch app {
    case .waiting, .decided:
      app = .ended
      exitStatus = 128 + signal
    case .none, .running, .ended: break
    }
  }

  /// Everything is ending: the app is told to end, and killed if it doesn't.
  func stopApp() {
    switch app {
    case .running(let child):
      child.end(.process, within: configuration.machine.cancelGrace)
    case .waiting, .decided: app = .ended
    case .none, .ended: break
    }
  }

  func killApp() {
    if case .running(let child) = app { child.kill() }
  }

  var isAppRunning: Bool {
    if case .running = app { true } else { false }
  }
}

extension SupervisorConfiguration {
  /// Looks for the app as it is going to be started, so that nothing is run for one that isn't there.
  ///
  /// - Throws: why it can't be started.
  package func findApp() throws(SpawnError) {
    guard let app else { return }
    try ChildProcess.find(app.arguments, environment: appEnvironment(), directory: app.directory)
  }

  fileprivate func appEnvironment() throws(SpawnError) -> EnvironmentBlock {
    try EnvironmentBlock(EnvironmentBlock(environment), adding: [("INITD_SOCKET", socketPath)])
  }
}

extension SpawnError {
  /// What a shell's status would be: 127 for a program that isn't there, else 126.
  package var exitStatus: Int32 { isNotFound ? 127 : 126 }
}
