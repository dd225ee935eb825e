internal import Glibc
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
package import Platform

/// The app (`initd -- APP`): started once ready, never if initialization failed; its end is the supervisor's.
final class AppProcess: Part {
  private enum State {
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

  /// It has been started.
  var onStart: () -> Void = {}
  /// It has ended.
  var onEnd: () -> Void = {}
  /// It can't be started, or isn't to be, for this reason: everything is to end.
  var onFault: (String) -> Void = { _ in }
  /// What the program is to exit with: 0, or what became of the app.
  private(set) var exitStatus: Int32 = 0

  let core: Core
  private let log: SupervisorLog
  private var state: State

  init(_ core: Core, log: SupervisorLog) {
    (self.core, self.log) = (core, log)
    state = core.configuration.app == nil ? .none : .waiting
  }

  /// The states have changed. Called in a step of the machine: what follows happens in the next turn, before which signals are looked at: who
  /// is told to end before the app has been started doesn't start it.
  func consider(_ record: StateRecord) {
    guard case .waiting = state else { return }
    if record.isReady {
      state = .decided
      loop.nextTurn { [weak self] in self?.start() }
    } else if case .failed(let failure) = record.composite {
      state = .decided
      loop.later { [weak self] in self?.refuse(failure) }
    }
  }

  private func start() {
    guard !core.isEnding, let command = configuration.app else { return }
    let name = command.arguments.joined(separator: " ")
    do throws(SpawnError) {
      let block = try configuration.appEnvironment()
      let child = try ChildProcess(
        loop: loop, arguments: command.arguments, environment: block, directory: command.directory, place: .foreground,
        streams: try ChildStreams(loop: loop, input: .inherited)
      ) { [weak self] status in self?.ended(status) }
      state = .running(child)
      logger.info("started \(name), pid \(child.pid)")
      onStart()
    } catch {
      exitStatus = error.exitStatus
      state = .ended
      logger.critical("\(error)")
      onFault("\(error)")
    }
  }

  private func refuse(_ failure: Failure) {
    state = .ended
    exitStatus = 1
    logger.critical("the app is not started: \(failure)")
    log.showLastWords(of: failure.initializer)
    onFault("initialization failed: \(failure)")
  }

  private func ended(_ status: ExitStatus) {
    if case .running(let child) = state {
      Terminal.takeBack(from: child.pid)
      if let report = child.leftBehind.report(of: "the app") {
        logger.warning("\(report)", metadata: .event(.leftBehind))
      }
    }
    state = .ended
    switch status {
    case .exited(let status): exitStatus = status
    case .signaled(let number): exitStatus = 128 + number
    case .unknown: exitStatus = 1
    }
    logger.info("the app \(status.predicate)")
    // The app is no longer active, and neither is anything of it.
    if !core.isEnding { try? core.apply(.deactivated) }
    onEnd()
  }

  /// A signal of the process: the app's if it runs.
  ///
  /// - Returns: whether it was handed on.
  func forward(_ signal: Int32) -> Bool {
    guard case .running(let child) = state, child.signal(signal) else { return false }
    // One that is stopped would get it only when it goes on.
    if [SIGTERM, SIGINT, SIGHUP].contains(signal), child.isStopped { child.signal(SIGCONT) }
    return true
  }

  /// A signal that ends came before the app was started: what its own status would have been.
  func wasSignalled(_ signal: Int32) {
    switch state {
    case .waiting, .decided:
      state = .ended
      exitStatus = 128 + signal
    case .none, .running, .ended: break
    }
  }

  /// Everything is ending: the app is told to end, and killed if it doesn't.
  func stop() {
    switch state {
    case .running(let child): child.end(.process, within: configuration.machine.cancelGrace)
    case .waiting, .decided: state = .ended
    case .none, .ended: break
    }
  }

  /// Ends it at once.
  func kill() {
    if case .running(let child) = state { child.kill() }
  }

  /// Whether it runs.
  var isRunning: Bool {
    if case .running = state { true } else { false }
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
