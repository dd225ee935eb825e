internal import AppInitializers
internal import EventLoop
internal import Glibc
package import InitCore
internal import InitDeclarations
internal import InitLog
internal import InitProcesses
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

/// The app (`initd -- APP`): it is started when everything is ready, and never if initialization fails.
///
/// When the app exits, the supervisor ends.
package final class AppProcess {
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

  /// Called when the app has been started.
  package var onStart: () -> Void = {}
  /// Called with the failure of initialization, because of which it isn't started.
  package var onRefusal: (Failure) -> Void = { _ in }
  /// Called when the app has exited.
  package var onEnd: () -> Void = {}
  /// Called with the reason when it can't or mustn't be started, and details that are already in the log: the supervisor ends.
  package var onFault: (String, String?) -> Void = { _, _ in }
  /// The exit status of the program: 0, or the app's.
  package private(set) var exitStatus: Int32 = 0

  private let shared: RunnerContext
  private var state: State
  /// Whether this supervisor has killed the app.
  private var isKilled = false

  init(_ shared: RunnerContext) {
    self.shared = shared
    state = shared.settings.app == nil ? .none : .waiting
  }

  /// Decides whether the app starts in these states.
  ///
  /// This is called in a step of the machine, so the app is started in the next turn. Signals are handled before that: a signal to end
  /// prevents the start.
  package func consider(_ record: StateRecord) {
    guard case .waiting = state else { return }
    if record.isReady {
      state = .decided
      shared.loop.nextTurn { [weak self] in self?.start() }
    } else if case .failed(let failure) = record.composite {
      state = .decided
      shared.loop.later { [weak self] in self?.refuse(failure) }
    }
  }

  private func start() {
    guard !shared.manager.isEnding, let command = shared.settings.app else { return }
    // Not `joined`, for the reason given in `Box`.
    let name = command.arguments.dropFirst().reduce(command.arguments.first ?? "") { "\($0) \($1)" }
    do throws(SpawnError) {
      let values = values
      // A value that isn't there leaves its variable out, as it does for a command.
      let declared = values.known(in: shared.settings.declaredEnvironment)
      let block = try CommandEnvironment.app(
        shared.settings.environment.merging(declared) { $1 }, socketPath: shared.settings.socketPath,
        fence: shared.fence(.active), inputs: inputs(values) + shared.ports.variables)
      let child = try ChildProcess(
        in: shared.children, arguments: command.arguments, environment: block, directory: command.directory,
        session: .foreground,
        streams: try ChildStreams(in: shared.children, input: .inherited)
      ) { [weak self] status in self?.ended(status) }
      state = .running(child)
      shared.logger.info("started \(name), pid \(child.pid)")
      onStart()
    } catch {
      exitStatus = error.exitStatus
      state = .ended
      shared.logger.critical("\(error)")
      onFault("\(error)", nil)
    }
  }

  /// The outputs of all complete initializers.
  private var values: StartValues {
    let complete = shared.manager.read { machine in
      machine.initializers.filter { $0.status == .complete || $0.status == .skipped }.map(\.declaration.name)
    }
    return shared.lastValues(of: complete, for: "the app")
  }

  /// Returns the variables with these outputs; the log says which ones are left out.
  private func inputs(_ values: StartValues) -> [EnvironmentBlock.Variable] {
    let (inputs, problems) = InputVariables.fitting(values.outputs)
    for problem in problems { shared.logger.warning("not in the environment of the app: \(problem)") }
    return inputs.variables
      + [(TraceContext.variable, shared.trace(nil, 0))].compactMap { name, value in
        value.map { (name, $0) }
      }
  }

  private func refuse(_ failure: Failure) {
    state = .ended
    exitStatus = 1
    onRefusal(failure)
    onFault("initialization failed", "\(failure)")
  }

  private func ended(_ status: ExitStatus) {
    if case .running(let child) = state {
      Terminal.reclaim(from: child.pid)
      if let report = child.leftBehind.report(of: "the app") {
        shared.logger.warning("\(report)", metadata: .event(.leftBehind, pids: child.leftBehind.map(\.pid)))
      }
    }
    state = .ended
    exitStatus = status.ofShell
    // The cause says that another process has killed it.
    let predicate = if case .signaled = status, !isKilled { "was \(Cause(status))" } else { status.predicate }
    shared.logger.info("the app \(predicate)")
    // The app is no longer active.
    if !shared.manager.isEnding { try? shared.manager.apply(.deactivated) }
    onEnd()
  }

  /// Forwards a signal of the supervisor's process to the app if it runs.
  ///
  /// - Returns: whether the signal was forwarded.
  package func forward(_ signal: Int32) -> Bool {
    guard case .running(let child) = state, child.signal(signal) else { return false }
    // A stopped process gets the signal only after SIGCONT.
    if [SIGTERM, SIGINT, SIGHUP].contains(signal), child.isStopped { child.signal(SIGCONT) }
    return true
  }

  /// Sets the exit status that the app would have had, if a signal ended the supervisor before the app was started.
  package func wasSignalled(_ signal: Int32) {
    switch state {
    case .waiting, .decided:
      state = .ended
      exitStatus = 128 + signal
    case .none, .running, .ended: break
    }
  }

  /// Terminates the app because the supervisor is ending, and kills it if it doesn't exit in time.
  package func stop() {
    switch state {
    case .running(let child):
      let grace = shared.settings.cancelGrace
      child.end(.process, within: grace) { [unowned self] in
        isKilled = true
        shared.logger.warning(
          .killing("the app", pid: child.pid, after: grace), metadata: .event(.killed, pid: child.pid))
      }
    case .waiting, .decided: state = .ended
    case .none, .ended: break
    }
  }

  package func kill() {
    guard case .running(let child) = state else { return }
    isKilled = true
    child.kill()
  }

  /// Whether the app runs.
  package var isRunning: Bool {
    if case .running = state { true } else { false }
  }
}

extension SpawnError {
  /// The exit status that a shell would use: 127 if the program isn't found, else 126.
  package var exitStatus: Int32 { isNotFound ? 127 : 126 }
}
