package import AppInitializers
package import EventLoop
internal import Glibc
internal import InitCore
internal import InitText
internal import InitWire
internal import InitWords
package import Logging
internal import Platform

/// Owns an `InitManager`, listens on a socket, and translates: frames become events of the machine, its notices become answers and events,
/// and its effects become processes and requests to workers.
///
/// The supervisor creates its parts and connects them. Only a part itself changes its state. The supervisor itself passes notices to the
/// parts (`note`), and assembles the Status.
///
/// Terms. A *session* is a client's connection. A session that registered names is a *worker*; its number in the machine is the session's.
///
/// Rules:
/// - Everything runs on the loop's thread: the parts, the commands and the manager call each other directly and need no lock. The parts
///   aren't `Sendable`, so no other thread can use them.
/// - The machine makes every decision that Semantics.md describes. The supervisor only reads its notices and queries.
/// - A notice is handled in the step that made it. A handler may only write to streams: it must not close a session or apply an event to
///   the machine. Such work is deferred to the loop's next turn.
package actor Supervisor {
  /// The supervisor's loop.
  package nonisolated let loop: Loop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  /// The manager.
  package nonisolated let manager: InitManager

  let configuration: SupervisorConfiguration
  let logger: Logger
  private let instance = InstanceID.make()
  private let alarm: LoopAlarm
  private let startedAt: Duration
  /// The threads of the program's own initializers; nil if there are none.
  private let threads: ThreadExecutor?

  let core: Core
  let commands: CommandRunner
  private let sockets: Sockets
  private let requests: Requests
  let connections: Connections
  private let passes: PassBook
  private let passMemory: PassMemory
  private let answers: Answers
  private let broadcast: Broadcast
  private let log: SupervisorLog
  let waits: Waits
  let workers: Workers
  let coordination: Coordination
  private let app: AppProcess
  let processes: Processes
  private let memory: Memory
  private let report: ServiceReport
  private let notices: NoticeHandler
  private let shutdown: Shutdown
  private let idleMemory: IdleMemory
  private let owner: OnceProvider.Owner
  /// Why the files of commands can't be in the intended directory.
  private var directoryFault: String?

  /// Creates a supervisor that hasn't started.
  ///
  /// - Parameters:
  ///   - configuration: its settings.
  ///   - objects: the program's own initializers; they precede those of the manifest and run on threads of their own.
  ///   - eventsDelegate: receives all events on the loop's thread; held weakly.
  ///   - loop: its loop; this must be called on the loop's thread.
  ///   - logger: its log.
  package init(
    _ configuration: SupervisorConfiguration, objects: sending [any AppInitializer] = [],
    eventsDelegate: (any AppInitializerEventsDelegate)? = nil, loop: Loop, logger: Logger
  ) {
    var configuration = configuration
    configuration.makePathsAbsolute()
    (self.loop, self.configuration, self.logger) = (loop, configuration, logger)
    alarm = LoopAlarm(loop: loop)
    startedAt = alarm.now
    let commands = CommandRunner(configuration, loop: loop, logger: logger)
    let owner = OnceProvider.Owner()
    threads = objects.isEmpty ? nil : ThreadExecutor()
    let others = configuration.initializers.map { declared in
      let command = declared.command.map {
        CommandProvider($0, isSecret: declared.isSecret, runner: commands)
      }
      let provider: (any InitializerProvider)? =
        if declared.isOnce, let command { OnceProvider(command, loop: loop, owner: owner) } else { command }
      var declaration = declared.declaration
      declaration.hasStop = declared.command?.stop != nil
      let kind: ProviderKind = declared.command == nil ? .worker : .command
      return (declaration, kind, provider)
    }
    manager = InitManager(
      configuration.machine, objects: objects, others: others, executor: ManagerExecutor(loop), objectExecutor: threads,
      alarm: alarm,
      eventsDelegate: eventsDelegate)
    (self.commands, self.owner) = (commands, owner)

    let core = Core(configuration, loop: loop, logger: logger, manager: manager)
    let broadcast = Broadcast(core)
    let log = SupervisorLog(core, broadcast: broadcast)
    let line = TurnLine(core)
    let passMemory = PassMemory(core)
    let passes = PassBook(core, instance: instance, memory: passMemory)
    let answers = Answers(core, broadcast: broadcast, log: log, passes: passes)
    idleMemory = IdleMemory(core)
    let connections = Connections(core, line: line, answers: answers, idleMemory: idleMemory)
    let waits = Waits(core)
    let coordination = Coordination(core)
    let holds = LeasedHolds(core)
    let workers = Workers(core, broadcast: broadcast, coordination: coordination)
    let processes = Processes(core, broadcast: broadcast, log: log)
    let memory = Memory(core)
    let requests = Requests(
      core, instance: instance, broadcast: broadcast, waits: waits, workers: workers, coordination: coordination,
      holds: holds, processes: processes, memory: memory)
    let sockets = Sockets(core)
    connections.isSettling = { waits.isSettling }
    waits.onIdle = { processes.endWait($0) }
    line.isAwaited = {
      workers.hasRuns(WorkerID($0)) || holds.hasLease(HoldID($0)) || coordination.coordinator?.id == $0
    }
    connections.onMessage = { requests.take($0, from: $1) }
    // When a client disconnects, its subscription, waits, registrations and hold are removed (S21, S23).
    connections.onLeave = { session in
      broadcast.unsubscribe(session.out)
      waits.forget(session.id)
      workers.lose(session.worker)
      coordination.lose(session.id)
      holds.release(session.hold)
    }
    sockets.onConnection = { connections.accept($0, $1, isReadOnly: $2) }
    sockets.onLock = { processes.guardChildren(lock: $0) }
    (self.core, self.broadcast, self.log, self.answers, self.connections) = (core, broadcast, log, answers, connections)
    (self.waits, self.workers, self.processes, self.memory) = (waits, workers, processes, memory)
    self.coordination = coordination
    (self.requests, self.sockets, self.passes, self.passMemory) = (requests, sockets, passes, passMemory)
    app = AppProcess(core)
    report = ServiceReport(core)
    notices = NoticeHandler(
      core,
      to: NoticeHandler.Parts(
        app: app, broadcast: broadcast, coordination: coordination, idleMemory: idleMemory, log: log, memory: memory,
        passes: passes,
        report: report, waits: waits))
    shutdown = Shutdown(
      core,
      of: Shutdown.Parts(
        alarm: alarm, app: app, commands: commands, connections: connections, coordination: coordination,
        idleMemory: idleMemory, memory: memory,
        passMemory: passMemory, passes: passes, processes: processes, report: report, sockets: sockets, waits: waits))
  }

  /// Binds the socket and starts; launch starts by itself unless the configuration says otherwise (S3).
  ///
  /// - Parameter onEnd: called once, when everything has stopped and the socket is removed (S24).
  /// - Throws: `UnusableName` for a name that the protocol doesn't allow, `UnusableRelease` for a missing or invalid
  ///   release, `SharedInputVariable` for dependencies that share an environment
  ///   variable, `ListenerError` if the socket can't be made, `JournalError` if the state directory can't be used, `SystemError` if the
  ///   threads of the program's own initializers can't be created. Nothing has run then.
  package func start(onEnd: @escaping @Sendable () -> Void) throws {
    try checkNames()
    try configuration.checkInputVariables()
    try configuration.checkRelease()
    try threads?.start()
    try sockets.open()
    do {
      try memory.recall(interrupted: passMemory.recall())
    } catch {
      sockets.close()
      throw error
    }
    shutdown.onEnd = onEnd
    wire()
    logger.info("listening on \(configuration.socketPath)")
    connections.start()
    if configuration.socketPath.utf8.first != UInt8(ascii: "/") {
      logger.warning(
        "commands in other directories can't reach the socket: its absolute path is too long or unknown; choose a shorter path for the socket"
      )
    }
    report.startWatchdog()
    processes.start()
    manager.assumeIsolated { $0.start() }
    report.tell(core.read { $0.states })
    if configuration.activatesAtStart || configuration.app != nil { try? core.apply(.activated(hold: nil)) }
    loop.later { [passMemory] in passMemory.check() }
  }

  /// Connects the parts.
  private func wire() {
    (owner.supervisor, coordination.supervisor) = (self, self)
    requests.onShutdown = { [weak shutdown] in shutdown?.begin(because: $0) }
    connections.onClose = { [weak shutdown] in shutdown?.finishIfAlone() }
    answers.status = { [unowned self] in assumeIsolated { $0.status } }
    passes.status = { [unowned self] in assumeIsolated { $0.status } }
    passes.lastLines = { [log] in log.lastLines(of: $0) }
    answers.moment = { [unowned self] in assumeIsolated { $0.moment } }
    answers.version = { [unowned self] in assumeIsolated { $0.statusVersion } }
    processes.onChange = { [weak shutdown] in shutdown?.processChanged() }
    app.onStart = { [report] in report.tellOfApp() }
    app.onRefusal = { [unowned self] failure in
      assumeIsolated { $0.log.explainRefusal(failure, $0.status, usual: $0.passes.usualShapes()) }
    }
    app.onFault = { [weak shutdown] in shutdown?.begin(because: $0, $1) }
    app.onEnd = { [weak shutdown] in shutdown?.appEnded() }
    commands.assumeIsolated { commands in
      commands.onStart = { [weak self] process in self?.assumeIsolated { $0.started(process) } }
      commands.onLine = { [weak self] process, stream, line in
        self?.assumeIsolated {
          $0.log.keep(
            line, of: process.start.initializer, run: process.start.run.rawValue, attempt: process.attempt, stream,
            process.members(.output))
        }
      }
      commands.onKill = { [weak self] process in self?.assumeIsolated { $0.log.noteKill(of: process) } }
      commands.onStopEnd = { [weak self] start, failure, isLate in
        self?.assumeIsolated { $0.log.noteStopEnd(start, failure, isLate: isLate) }
      }
      commands.prepareDirectory { [weak self] why in self?.assumeIsolated { $0.runtimeDirectoryFailed(why) } }
      commands.onStop = { [weak self] name in self?.assumeIsolated { $0.memory.noteStop(of: name) } }
      commands.onIdle = { [weak self] in self?.assumeIsolated { $0.shutdown.finishIfAlone() } }
    }
    manager.assumeIsolated { [notices] manager in
      manager.hooks.observer = { [weak notices] in notices?.take($0, at: $1) }
      manager.hooks.onFinish = { [weak self] in self?.assumeIsolated { $0.shutdown.runsEnded() } }
      manager.hooks.onStopped = { [weak self] in self?.assumeIsolated { $0.shutdown.initializersStopped() } }
      manager.hooks.workerProvider = WorkerProvider(self)
      let traces = RunTraces(environment: configuration.environment)
      manager.hooks.traceparent = { traces.context(of: $0).description }
    }
  }

  // MARK: Its end (S24)

  /// Ends the supervisor on these signals: the first one in order, a further one without waiting for runs.
  ///
  /// - Throws: why a signal can't be watched.
  package func end(on signals: [Int32]) throws { try shutdown.begin(on: signals) }

  /// Forwards a signal of the process to the app if it runs.
  ///
  /// - Returns: whether it was forwarded.
  package func forwardToApp(_ signal: Int32) -> Bool { app.forward(signal) }

  /// Begins the shutdown; a second call has no effect.
  ///
  /// - Parameter reason: for the log.
  package func shutDown(because reason: String) { shutdown.begin(because: reason) }

  /// Ends now: kills all processes, and waits for them no longer than for a client that doesn't read its last message.
  package func skipWaiting() { shutdown.skipWaiting() }

  /// The exit status of the program after the end: 0, or the app's.
  package var exitStatus: Int32 { app.exitStatus }

  // MARK: The Status (protocol §3)

  private var moment: StatusShape {
    var status = StatusShape()
    (status.seq, status.time, status.instance, status.pid) = (broadcast.seq, core.time, instance, Int(getpid()))
    (status.uptime, status.processes) = ((alarm.now - startedAt).inSeconds, processes.shapes)
    return status
  }

  private var status: StatusShape {
    let (states, holds, snapshots) = core.read { ($0.states, $0.holdCount, $0.initializers) }
    var status = moment
    status.lifecycle = .known(states.lifecycle)
    (status.launch, status.active) = (StateShape(states.launch), StateShape(states.active))
    status.composite = StateShape(states.composite)
    (status.holds, status.concurrency) = (holds, configuration.machine.concurrency)
    status.inFlight = passes.inFlight
    status.initializers = snapshots.map { notices.shape(of: $0) }
    (status.workers, status.warnings) = (workers.shapes, warnings.texts.isEmpty ? nil : warnings.texts)
    return status
  }

  private var statusVersion: Answers.Version {
    Answers.Version(seq: broadcast.seq, step: core.steps, warnings: warnings)
  }

  private var warnings: Warnings {
    Warnings(
      damage: [memory.damage, passMemory.damage].compactMap(\.self), unwritten: memory.unwritten,
      unwrittenPasses: passMemory.unwritten, unremembered: memory.unremembered, runtimeDirectory: directoryFault,
      guardLoss: processes.guardLoss)
  }

  /// Logs that a command has started, and publishes its initializer, whose shape contains the process.
  private func started(_ process: CommandProcess) {
    log.noteStart(of: process)
    guard !process.isStop, let snapshot = core.read({ $0.initializer(named: process.start.initializer) }) else {
      return
    }
    notices.publish(snapshot)
  }

  /// Adds a warning to each Status that the files of commands can't be in the intended directory.
  private func runtimeDirectoryFailed(_ why: String) {
    directoryFault = why
    logger.warning("\(why)")
  }
}
