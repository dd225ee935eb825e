package import AppInitializers
internal import DequeModule
internal import InitCore
internal import InitTimeline
internal import InitWire
package import Libuv
package import Logging

/// Owns an `InitManager`, listens on a socket, and interprets: frames become events of the machine, its
/// notices become answers and events, its effects become processes and requests to workers.
///
/// Terms. A *session* is a client's connection. A session that registered names is a *worker*; its number in the machine is the session's.
///
/// The law of this type:
/// - Everything happens on the loop's thread: sessions, commands and the manager reach each other without a hop and need no lock.
/// - Nothing is decided here that semantics.md decides; what a step of the machine means is read off its notices and queries.
/// - A notice is told in the step that made it. Whoever is called for it writes to streams and nothing else: it closes no session and
///   hands the machine no event. What would, is put on the loop for the next turn.
///
/// Where to find what: `+connections` (accept, hello, frames), `+requests` (each method), `+events` (subscribers), `+waits`,
/// `+workers` (registration and runs), `+status` (the shapes), `+shutdown`, `+log`.
package actor Supervisor {
  /// The loop everything lives on.
  package nonisolated let loop: Loop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  /// Its manager.
  package nonisolated let manager: InitManager

  let configuration: SupervisorConfiguration
  let logger: Logger
  let instance = InstanceID.make()
  let clock: WallClock
  let startedAt: Duration
  let alarm: LoopAlarm
  let commands: CommandRunner
  /// Where the program's own initializers run; nil if there are none.
  private let threads: ThreadExecutor?
  var limits: Limits { configuration.limits }

  var listener: Listener?
  /// Where nobody may do more than observe.
  var observeListener: Listener?
  let watchdog: Timer
  /// The service manager has been told that we are ready; it is told once.
  var wasToldReady = false
  var sessions: [Int: Session] = [:]
  /// Those who haven't said hello, oldest first.
  var silent: [Int] = []
  var lastSession = 0
  /// How many there are at the socket for observers (true), and at the other.
  var connections: [Bool: Int] = [:]
  /// How many of each there may be.
  var places = 0
  /// Those who aren't let in and are about to be told so, the oldest first.
  var refused: [Int] = []
  /// Who waits for a share of a turn.
  var turns: FairTurns
  /// The number of the last event, over all topics.
  var seq = 0
  var waits = WaitList()
  /// Rings when the time of a wait is up, and when that is.
  let waitTimer: Timer
  var waitDeadline = Duration.zero
  /// Waits for which what they wait for has come to pass, and which haven't been answered.
  var settled: Deque<Settled> = []
  /// How many were settled in the turn of this number, and whether a further turn is asked for.
  var settledInTurn = (turn: 0, count: 0)
  var isSettlingAsked = false
  /// What all clients hold together, in bytes, and whether that is too much.
  var clientBytes = 0
  var isEvicting = false
  /// The Status that was written last, while somebody may want it.
  var keptStatus: KeptStatus?
  /// How many bytes the last Status had.
  var statusBytes = 0
  /// How many events the machine has taken.
  var steps = 0
  /// Of the waits, how many went with their clients since memory was given back.
  var waitsLeft = 0
  var history = History()
  var logs: LogBook
  /// What each run on a worker waits for.
  var workerRuns: [Int: RemoteRun] = [:]
  /// The app, if there is one, and the processes that are kept running, in order.
  var app = AppState.none
  var kept: [KeptProcess] = []
  var orphans: Orphans?
  /// What outlives this process, where that is wanted.
  var journal: JournalFile?
  var record: LaunchRecord?
  /// What is wrong with the supervisor itself.
  var warnings = Warnings() { didSet { steps += 1 } }
  /// What each command of the manifest does, as the record tells one from another.
  var works: [String: String] = [:]
  /// What the program is to exit with once it has ended: 0, or what became of the app.
  package internal(set) var exitStatus: Int32 = 0
  /// Nothing runs any more that the machine knows; what was started beside it is being ended.
  var isQuiet = false
  /// What has completed is stopped.
  var isStopped = false
  /// Everything was told to end; what hasn't closed yet is on its way.
  var isEnded = false
  /// Whose output mustn't be seen, whatever a worker says of it.
  let secrets: Set<String>
  /// How long what was killed is waited for, at the end.
  let patience: Timer
  var onEnd: (@Sendable () -> Void)?
  /// The signals that end it.
  var endSignals: [SignalSource] = []
  var endSignalsSeen = 0

  /// A supervisor that hasn't started.
  ///
  /// - Parameters:
  ///   - configuration: all that is decided before.
  ///   - objects: the program's own initializers; they stand before those of the manifest and run on threads of their own.
  ///   - eventsDelegate: told what happens, on the loop's thread; held weakly.
  ///   - loop: where everything lives; this is called on its thread.
  ///   - logger: what it tells of itself.
  package init(
    _ configuration: SupervisorConfiguration, objects: sending [any AppInitializer] = [],
    eventsDelegate: (any AppInitializerEventsDelegate)? = nil, loop: Loop, logger: Logger
  ) {
    self.loop = loop
    var configuration = configuration
    configuration.makePathsAbsolute()
    self.configuration = configuration
    self.logger = logger
    self.alarm = LoopAlarm(loop: loop)
    self.clock = WallClock(now: alarm.now)
    self.startedAt = alarm.now
    self.patience = Timer(loop: loop, name: "end")
    self.watchdog = Timer(loop: loop, name: "watchdog")
    self.waitTimer = Timer(loop: loop, name: "waits")
    self.turns = FairTurns(most: configuration.limits.framesPerTurn)
    self.logs = LogBook(lineLimit: configuration.limits.logLines, byteLimit: configuration.limits.logBytes)
    self.secrets = Set(configuration.initializers.filter(\.isSecret).map(\.declaration.name))
    let commands = CommandRunner(configuration, loop: loop, logger: logger)
    self.commands = commands
    let threads = objects.isEmpty ? nil : ThreadExecutor()
    self.threads = threads
    let others = configuration.initializers.map { declared in
      let provider = declared.command.map {
        CommandRunner.Provider(command: $0, isSecret: declared.isSecret, runner: commands)
      }
      var declaration = declared.declaration
      declaration.hasStop = declared.command?.stop != nil
      let kind: ProviderKind = declared.command == nil ? .worker : .command
      return (declaration, kind, provider as (any InitializerProvider)?)
    }
    self.manager = InitManager(
      configuration.machine, objects: objects, others: others, home: Home(loop), objectExecutor: threads, alarm: alarm,
      eventsDelegate: eventsDelegate)
  }

  /// Binds the socket and begins; the launch starts by itself unless the configuration says otherwise (S3).
  ///
  /// - Parameter onEnd: told once, when everything has stopped and the socket is gone (S24).
  /// - Throws: `UnusableName` for a name that the protocol can't carry, `SharedInputVariable` for dependencies that a command could not tell
  ///   apart, `ListenerError` if the socket can't be made, `JournalError` if the state directory can't be used, `SystemError` if there is no
  ///   thread for the program's own initializers. Nothing has been run then.
  package func start(onEnd: @escaping @Sendable () -> Void) throws {
    try checkNames()
    try configuration.checkInputVariables()
    try threads?.start()
    try listen()
    do {
      try recall()
    } catch {
      stopListening()
      throw error
    }
    self.onEnd = onEnd
    commands.assumeIsolated { commands in
      commands.onLine = { [weak self] start, stream, line in
        self?.assumeIsolated {
          $0.keep(
            line, of: start.initializer, run: start.run, stream,
            .event(
              .output, initializer: start.initializer, pass: start.pass, run: start.run, attempt: start.attempt))
        }
      }
      commands.prepareDirectory { [weak self] why in self?.assumeIsolated { $0.runtimeDirectoryFailed(why) } }
      commands.onStop = { [weak self] name in self?.assumeIsolated { $0.noteStop(of: name) } }
      commands.onIdle = { [weak self] in self?.assumeIsolated { $0.finishIfAlone() } }
    }
    manager.assumeIsolated { manager in
      manager.observer = { [weak self] notice, now in self?.assumeIsolated { $0.note(notice, at: now) } }
      manager.onFinish = { [weak self] in self?.assumeIsolated { $0.later { $0.becameQuiet() } } }
      manager.onStopped = { [weak self] in
        self?.assumeIsolated { supervisor in
          supervisor.isStopped = true
          supervisor.later { $0.endInOrder() }
        }
      }
      manager.workerProvider = WorkerProvider(supervisor: self)
    }
    logger.info("listening on \(configuration.socketPath)")
    places = placesForClients()
    if configuration.socketPath.utf8.first != UInt8(ascii: "/") {
      logger.warning(
        "commands in other directories can't reach the socket: its absolute path is too long or unknown; choose a shorter path for the socket"
      )
    }
    if configuration.adoptsOrphans { adoptOrphans() }
    if configuration.app != nil { app = .waiting }
    startWatchdog()
    startKept()
    manager.assumeIsolated { $0.start() }
    tellServiceManager(read { $0.states })
    if configuration.activatesAtStart || configuration.app != nil { try? apply(.activated(hold: nil)) }
  }

  private func listen() throws(ListenerError) {
    if configuration.passedSocket != nil { guardChildren(lock: nil) }
    listener = try makeListener(
      configuration.socketPath, configuration.socketMode, configuration.passedSocket?.descriptor, isReadOnly: false)
    guard let path = configuration.observeSocketPath else { return }
    do throws(ListenerError) {
      observeListener = try makeListener(
        path, configuration.observeSocketMode, configuration.passedObserveSocket?.descriptor, isReadOnly: true)
    } catch {
      stopListening()
      throw error
    }
  }

  /// The sockets are gone, and the guard that holds their lock.
  func stopListening() {
    loop.endGuard()
    listener?.close()
    listener = nil
    observeListener?.close()
    observeListener = nil
  }

  private func makeListener(
    _ path: String, _ mode: UInt32, _ passed: Descriptor?, isReadOnly: Bool
  ) throws(ListenerError) -> Listener {
    let accept: (Descriptor, PeerCredentials) -> Void = { self.accept($0, $1, isReadOnly: isReadOnly) }
    let listener =
      if let passed {
        try Listener(loop: loop, adopting: passed, path: path, onConnection: accept)
      } else {
        try Listener(
          loop: loop, path: path, mode: mode, group: configuration.socketGroup,
          onLock: { if !isReadOnly { self.guardChildren(lock: $0) } }, onConnection: accept)
      }
    listener.onExhausted = { error in
      if let error {
        self.logger.warning("cannot accept connections for now: \(error)")
      } else {
        self.logger.info("accepting connections again")
      }
    }
    listener.onLost = { error in
      if let error {
        self.logger.error("\(path) was removed, and can't be made again: \(error)")
      } else {
        self.logger.warning("\(path) was removed; it is made again")
      }
    }
    return listener
  }

  /// Hands the machine an event; what it makes of it has been told to everybody when this returns.
  func apply(_ event: Event) throws(Refusal) {
    steps += 1
    let outcome = manager.assumeIsolated { manager in
      Result { () throws(Refusal) in try manager.apply(event) }
    }
    try outcome.get()
  }

  /// Reads something off the machine. The machine itself is never kept: a copy of it would be copied again by its next step.
  func read<Value: Sendable>(_ query: @Sendable (Machine) -> Value) -> Value {
    manager.assumeIsolated { query($0.machine) }
  }

  /// Does something in the loop's next turn.
  func later(_ action: @escaping @Sendable (isolated Supervisor) -> Void) {
    loop.perform { self.assumeIsolated(action) }
  }

  /// The present time, as events tell it.
  var time: Double { clock.seconds(at: alarm.now) }
}
