internal import EventLoop
internal import Glibc
internal import InitCore
internal import InitDeclarations
internal import InitLog
internal import InitModel
internal import InitRecords
internal import InitWire
internal import InitWords
internal import Logging
package import Platform

/// The app (`initd -- APP`): it is started when everything is ready, and never if initialization fails.
///
/// When the app exits, the supervisor ends.
final class AppProcess: Component {
  private enum State {
    /// No app is configured.
    case none
    /// The app waits until everything is ready.
    case waiting
    /// The app is about to be started or refused, in the loop's next turn.
    case decided
    case running(ChildProcess)
    /// The app has exited, couldn't be started, or was never started.
    case ended
  }

  /// Called when the app has exited.
  var onEnd: () -> Void = {}
  /// Called with the reason when it can't or mustn't be started, and details that are already in the log: the supervisor ends.
  var onFault: (String, String?) -> Void = { _, _ in }
  /// The exit status of the program: 0, or the app's.
  private(set) var exitStatus: Int32 = 0

  let shared: Shared
  private let passes: PassBook
  private let report: ServiceReport
  private var state: State
  /// Whether this supervisor has killed the app.
  private var isKilled = false

  init(_ shared: Shared, passes: PassBook, report: ServiceReport) {
    self.shared = shared
    self.passes = passes
    self.report = report
    state = shared.configuration.app == nil ? .none : .waiting
  }

  /// Decides whether the app starts in these states.
  ///
  /// This is called in a step of the machine, so the app is started in the next turn. Signals are handled before that: a signal to end
  /// prevents the start.
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
    guard !shared.isEnding, let command = configuration.app else { return }
    let name = command.arguments.joined(separator: " ")
    do throws(SpawnError) {
      let block = try configuration.appEnvironment(fence: shared.fence)
      let child = try ChildProcess(
        loop: loop, arguments: command.arguments, environment: block, directory: command.directory,
        session: .foreground,
        streams: try ChildStreams(loop: loop, input: .inherited)
      ) { [weak self] status in self?.ended(status) }
      state = .running(child)
      logger.info("started \(name), pid \(child.pid)")
      report.notifyOfApp()
    } catch {
      exitStatus = error.exitStatus
      state = .ended
      logger.critical("\(error)")
      onFault("\(error)", nil)
    }
  }

  private func refuse(_ failure: Failure) {
    state = .ended
    exitStatus = 1
    passes.explainRefusal(failure)
    onFault("initialization failed", "\(failure)")
  }

  private func ended(_ status: ExitStatus) {
    if case .running(let child) = state {
      Terminal.reclaim(from: child.pid)
      if let report = child.leftBehind.report(of: "the app") {
        logger.warning("\(report)", metadata: .event(.leftBehind, pids: child.leftBehind.map(\.pid)))
      }
    }
    state = .ended
    exitStatus = status.ofShell
    // The cause says that another process has killed it.
    let predicate = if case .signaled = status, !isKilled { "was \(Cause(status))" } else { status.predicate }
    logger.info("the app \(predicate)")
    // The app is no longer active.
    if !shared.isEnding { try? shared.apply(.deactivated) }
    onEnd()
  }

  /// Forwards a signal of the supervisor's process to the app if it runs.
  ///
  /// - Returns: whether the signal was forwarded.
  func forward(_ signal: Int32) -> Bool {
    guard case .running(let child) = state, child.signal(signal) else { return false }
    // A stopped process gets the signal only after SIGCONT.
    if [SIGTERM, SIGINT, SIGHUP].contains(signal), child.isStopped { child.signal(SIGCONT) }
    return true
  }

  /// Sets the exit status that the app would have had, if a signal ended the supervisor before the app was started.
  func wasSignalled(_ signal: Int32) {
    switch state {
    case .waiting, .decided:
      state = .ended
      exitStatus = 128 + signal
    case .none, .running, .ended: break
    }
  }

  /// Terminates the app because the supervisor is ending, and kills it if it doesn't exit in time.
  func stop() {
    switch state {
    case .running(let child):
      let grace = configuration.machine.cancelGrace
      child.end(.process, within: grace) { [unowned self] in
        isKilled = true
        logger.warning(.killing("the app", pid: child.pid, after: grace), metadata: .event(.killed, pid: child.pid))
      }
    case .waiting, .decided: state = .ended
    case .none, .ended: break
    }
  }

  /// Kills it.
  func kill() {
    guard case .running(let child) = state else { return }
    isKilled = true
    child.kill()
  }

  /// Whether the app runs.
  var isRunning: Bool {
    if case .running = state { true } else { false }
  }
}

extension SupervisorConfiguration {
  /// Looks for the app's program before anything runs, so a wrong path is reported at once.
  ///
  /// - Throws: the reason why the app can't be started.
  package func findApp() throws(SpawnError) {
    guard let app else { return }
    try ChildProcess.find(app.arguments, environment: appEnvironment(), directory: app.directory)
  }

  /// `fence` is the fencing token of the leader, if there is one.
  fileprivate func appEnvironment(fence: Int? = nil) throws(SpawnError) -> EnvironmentBlock {
    var environment = commonVariables
    environment[RunVariables.fence] = fence.map(String.init)
    return try EnvironmentBlock(CommandEnvironment.process(environment, socketPath: socketPath))
  }
}

extension SpawnError {
  /// The exit status that a shell would use: 127 if the program isn't found, else 126.
  package var exitStatus: Int32 { isNotFound ? 127 : 126 }
}
