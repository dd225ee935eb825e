package import AppInitializers
package import EventLoop
internal import Glibc
internal import InitCore
internal import InitDeclarations
internal import InitModel
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitWire
package import Logging
internal import Platform

/// Owns an `InitManager`, listens on a socket, and translates: frames become events of the machine, its notices become answers and events,
/// and its effects become processes and requests to workers.
///
/// It has four owners of its components: ``Records``, ``Execution``, ``ClientServer`` and ``Shutdown``. Each owner creates and connects its
/// components, and gets the earlier owners. Only a component itself changes its state. The supervisor passes notices to the owners.
///
/// Terms. A *session* is a client's connection. A session that registered names is a *worker*; its number in the machine is the session's.
///
/// Rules:
/// - Everything runs on the loop's thread: the components and the manager call each other directly and need no lock. The components
///   aren't `Sendable`, so no other thread can use them.
/// - The machine makes every decision that Semantics.md describes. The supervisor only reads its notices and queries.
/// - A notice is handled in the step that made it. A handler may only write to streams: it must not close a session or apply an event to
///   the machine. Such work is deferred to the loop's next turn.
package actor Supervisor {
  /// The supervisor's loop.
  package nonisolated let loop: Loop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  package nonisolated let manager: InitManager

  private let alarm: LoopAlarm
  private let owners: ProviderOwners
  /// The threads of the program's own initializers; nil if it has none.
  private let threads: ThreadExecutor?

  let shared: SupervisorContext
  let broadcast: Broadcast
  let records: Records
  let execution: Execution
  let clients: ClientServer
  private let shutdown: Shutdown

  /// Creates a supervisor that hasn't started.
  ///
  /// - Parameters:
  ///   - configuration: the settings of the supervisor.
  ///   - objects: the program's own initializers; they precede those of the manifest and run on threads of their own.
  ///   - eventsDelegate: receives all events on the loop's thread; held weakly.
  ///   - loop: the supervisor's loop; the caller must be on the loop's thread.
  ///   - logger: the log of the supervisor.
  package init(
    _ configuration: SupervisorConfiguration, objects: sending [any AppInitializer] = [],
    eventsDelegate: (any AppInitializerEventsDelegate)? = nil, loop: Loop, logger: Logger
  ) {
    var configuration = configuration
    configuration.makePathsAbsolute()
    self.loop = loop
    alarm = LoopAlarm(loop: loop)
    let owners = ProviderOwners(loop: loop)
    self.owners = owners
    threads = objects.isEmpty ? nil : ThreadExecutor()
    let others = configuration.initializers.map { declared in
      (declared.declarationOfWork, declared.kind, declared.provider(of: owners, in: configuration.environment))
    }
    manager = InitManager(
      configuration.machine, objects: objects, others: others, executor: ManagerExecutor(loop), objectExecutor: threads,
      alarm: alarm, eventsDelegate: eventsDelegate)

    shared = SupervisorContext(configuration, loop: loop, logger: logger, manager: manager)
    let context = ServerContext(ServerSettings(configuration), loop: loop, logger: logger)
    broadcast = Broadcast(context) { [shared] in shared.time }
    let declared = RecordedDeclarations(configuration, works: RecordedDeclarations.works(of: configuration))
    records = Records(
      RecordsContext(
        RecordsSettings(configuration), manager: shared.access, loop: loop, logger: logger, clock: shared.clock,
        instance: shared.instance), declared,
      parent: configuration.commonVariables[TraceContext.variable].flatMap { TraceContext($0) })
    records.log.onLine = { [broadcast] in broadcast.publish(.log($0), to: Topics(.log)) }
    execution = Execution(shared, broadcast: broadcast, records: records, owners: owners)
    let status = StatusSource(shared, broadcast: broadcast, records: records, execution: execution)
    clients = ClientServer(
      shared, context, declared: declared, broadcast: broadcast, records: records, execution: execution, status: status,
      owners: owners)
    shutdown = Shutdown(shared, records: records, execution: execution, clients: clients)
    records.passes.status = { [weak status] in status?.status }
    records.passes.usedByProcesses = { [weak execution] in execution?.processes.usedOutsideOfStarts ?? .zero }
  }

  /// Binds the socket and starts; launch starts automatically unless the configuration says otherwise (S3).
  ///
  /// - Parameter onEnd: called once, when everything has stopped and the socket is removed (S24).
  /// - Throws: `UnusableName` for a name that the protocol doesn't allow, `UnusableRelease` for a missing or invalid
  ///   release, `SharedInputVariable` for dependencies that share an environment
  ///   variable, `ListenerError` if the socket can't be made, `JournalError` if the state directory can't be used, `SystemError` if the
  ///   threads of the program's own initializers can't be created, `PortFault` if a port can't be chosen (S36), `WatchFault` if the inputs can't be watched. If it throws, nothing has run.
  package func start(onEnd: @escaping @Sendable () -> Void) throws {
    try checkNames()
    try configuration.checkInputVariables()
    try configuration.checkRelease()
    try threads?.start()
    try clients.open()
    do {
      try records.open()
      let ports = execution.context.ports
      ports.adopt(try ports.choose(configuration.ports, earlier: records.ports.numbers))
      records.ports.record(ports.numbers)
      try clients.beginWatch()
    } catch {
      clients.closeSockets()
      throw error
    }
    shutdown.onEnd = { [alarm] in
      alarm.close()
      onEnd()
    }
    observeManager()
    shared.logger.info("listening on \(configuration.socketPath)")
    clients.limitConnections()
    if configuration.socketPath.utf8.first != UInt8(ascii: "/") {
      shared.logger.warning(
        "commands in other directories can't reach the socket: its absolute path is too long or unknown; choose a shorter path for the socket"
      )
    }
    execution.start()
    if !configuration.externalProcesses.isEmpty {
      let user = Accounts.name(ofUser: getuid())
      _ = execution.processes.stop(configuration.externalProcesses, by: user, isExternal: true)
    }
    manager.assumeIsolated { $0.start() }
    execution.report.notify(shared.read { $0.states })
    if configuration.activatesAtStart || configuration.app != nil { try? shared.apply(.activated(hold: nil)) }
    loop.later { [records] in records.check() }
  }

  /// Handles the manager's notices from now on, and runs its workers' initializers.
  private func observeManager() {
    let workers = WorkerProvider(owners)
    let traces = records.passes.traces
    manager.assumeIsolated { manager in
      manager.hooks.observer = { [weak self] notice, now in self?.assumeIsolated { $0.handle(notice, at: now) } }
      manager.hooks.onFinish = { [weak self] in self?.assumeIsolated { $0.shutdown.runsEnded() } }
      manager.hooks.onStopped = { [weak self] in self?.assumeIsolated { $0.shutdown.initializersStopped() } }
      manager.hooks.workerProvider = workers
      manager.hooks.checkCondition = { [weak self] check in
        self?.assumeIsolated { $0.execution.conditions.check(check) }
      }
      manager.hooks.traceparent = { traces.context(of: $0).description }
    }
  }

  /// The settings; a reload changes some of them.
  var configuration: SupervisorConfiguration { shared.configuration }

  // MARK: Its end (S24)

  /// Ends the supervisor on these signals: the first one in order, a further one without waiting for runs.
  ///
  /// - Throws: why a signal can't be watched.
  package func end(on signals: [Int32]) throws { try shutdown.begin(on: signals) }

  /// Forwards a signal of the process to the app if it runs.
  ///
  /// - Returns: whether the signal was forwarded.
  package func forwardToApp(_ signal: Int32) -> Bool { execution.app.forward(signal) }

  /// Begins the shutdown; a second call has no effect.
  ///
  /// - Parameter reason: for the log.
  package func shutDown(because reason: String) { shutdown.begin(because: reason) }

  /// Ends now: kills all processes, and waits for them no longer than for a client that doesn't read its last message.
  package func skipWaiting() { shutdown.skipWaiting() }

  /// The exit status of the program after the end: 0, or the app's.
  package var exitStatus: Int32 { execution.app.exitStatus }
}
