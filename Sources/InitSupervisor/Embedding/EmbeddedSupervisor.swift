public import AppInitializers
internal import EventLoop
public import InitDeclarations
public import Logging
internal import Platform

/// A supervisor as a part of a program: the program's own initializers, commands and workers form one graph, and `initctl` and workers
/// connect to its socket.
///
/// ```swift
/// let supervisor = try await EmbeddedSupervisor.start(
///   initializers: [Catalogue()], others: [.command("migrate", ["./migrate", "--all"]), .worker("favorites")])
/// await supervisor.activate()
/// for await state in supervisor.state.values where state != .pending { print(state); break }
/// await supervisor.shutDown()
/// ```
///
/// All supervisors of a process share one thread; the program's code doesn't run on it. A `run()` may block without delaying others.
/// Commands and their environment are as with `initd`.
public final class EmbeddedSupervisor: Initialization {
  /// The state of the launch phase.
  public let launchState: ObservableState
  /// The state of the active phase.
  public let activeState: ObservableState
  /// The composite of both (S1).
  ///
  /// Its sequence of values ends when the supervisor has ended.
  public let state: ObservableState
  /// The socket's path.
  public let socketPath: String

  private let supervisor: Supervisor

  /// Never stopped: threads that use it may outlive any supervisor.
  private static let loop = SharedLoop(name: "initd")

  private init(_ supervisor: Supervisor, socketPath: String) {
    self.supervisor = supervisor
    self.socketPath = socketPath
    launchState = supervisor.manager.launchState
    activeState = supervisor.manager.activeState
    state = supervisor.manager.state
  }

  /// Starts a supervisor that runs one initializer at a time; launch starts automatically (S3).
  ///
  /// - Parameters:
  ///   - socketPath: the path of the socket. By default `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`,
  ///     else in `/run` for root.
  ///   - initializers: the program's own initializers, in any order.
  ///   - others: the initializers of commands and workers, in any order.
  ///   - eventsDelegate: receives all events on the supervisor's thread, from the first one on; held weakly.
  ///   - lifecycle: events that the supervisor follows until they end or it has ended; if it is nil, the program calls ``activate()``
  ///     itself.
  ///   - signals: the signals that shut the supervisor down; a second signal skips waiting for the runs, unless the same one is repeated
  ///     within 100 ms. None by default, for programs in which e.g. a `ServiceGroup` handles signals.
  ///   - logger: the supervisor's log. By default only warnings and errors, to standard error.
  /// - Returns: the supervisor, which listens.
  /// - Throws: ``SupervisorStartError`` or ``NoSocketPath`` if the socket can't be made, ``UnusableName`` for a name that the protocol
  ///   doesn't allow, ``SharedInputVariable`` for dependencies that share an environment variable. If it throws, nothing has run.
  public static func start(
    at socketPath: String? = nil, initializers: sending [any AppInitializer] = [], others: [DeclaredInitializer] = [],
    eventsDelegate: (any AppInitializerEventsDelegate)? = nil,
    lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)? = nil, endingOn signals: [Int32] = [],
    logger: Logger = .warningsOfSupervisor
  ) async throws -> EmbeddedSupervisor {
    var configuration = try configurationOfThisProcess(socketPath)
    configuration.initializers = others
    return try await start(
      configuration, objects: initializers, Observers(eventsDelegate, lifecycle), endingOn: signals, logger: logger)
  }

  /// Starts a supervisor that may run several initializers at once (S6), `concurrency` of them, at least 1.
  ///
  /// The program's own initializers may share only `Sendable` state, which the compiler checks.
  ///
  /// The other parameters and the errors are those of ``start(at:initializers:others:eventsDelegate:lifecycle:endingOn:logger:)``.
  public static func start(
    at socketPath: String? = nil, initializers: [any AppInitializer & Sendable] = [],
    others: [DeclaredInitializer] = [], eventsDelegate: (any AppInitializerEventsDelegate)? = nil,
    lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)? = nil, concurrency: Int,
    endingOn signals: [Int32] = [], logger: Logger = .warningsOfSupervisor
  ) async throws -> EmbeddedSupervisor {
    var configuration = try configurationOfThisProcess(socketPath)
    configuration.initializers = others
    configuration.concurrency = concurrency
    return try await start(
      configuration, objects: initializers, Observers(eventsDelegate, lifecycle), endingOn: signals, logger: logger)
  }

  /// Starts a supervisor with all settings.
  ///
  /// - Throws: see ``start(at:initializers:others:eventsDelegate:lifecycle:endingOn:logger:)``.
  public static func start(
    _ configuration: SupervisorConfiguration, initializers: [any AppInitializer & Sendable] = [],
    eventsDelegate: (any AppInitializerEventsDelegate)? = nil,
    lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)? = nil, endingOn signals: [Int32] = [],
    logger: Logger = .warningsOfSupervisor
  ) async throws -> EmbeddedSupervisor {
    try await start(
      configuration, objects: initializers, Observers(eventsDelegate, lifecycle), endingOn: signals, logger: logger)
  }

  /// The receiver of events, and the source of lifecycle events.
  private struct Observers: Sendable {
    let delegate: (any AppInitializerEventsDelegate)?
    let lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)?

    init(
      _ delegate: (any AppInitializerEventsDelegate)?,
      _ lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)?
    ) {
      self.delegate = delegate
      self.lifecycle = lifecycle
    }
  }

  private static func configurationOfThisProcess(_ socketPath: String?) throws(NoSocketPath) -> SupervisorConfiguration
  {
    do throws(NoSocketPath) {
      return try SupervisorConfiguration.ofThisProcess(socketPath: socketPath)
    } catch {
      throw NoSocketPath(unreadable: error.unreadable, remedy: "; give a path with the parameter `at:`")
    }
  }

  private static func start(
    _ configuration: SupervisorConfiguration, objects: sending [any AppInitializer], _ observers: Observers,
    endingOn signals: [Int32], logger: Logger
  ) async throws -> EmbeddedSupervisor {
    // Sent to the loop's thread, and used there only once, which the compiler can't check.
    nonisolated(unsafe) let objects = objects
    do {
      let loop = try loop.get()
      let supervisor = try await Task(executorPreference: loop) {
        let supervisor = Supervisor(
          configuration, objects: objects, eventsDelegate: observers.delegate, loop: loop, logger: logger)
        try await supervisor.start(endingOn: signals)
        return EmbeddedSupervisor(supervisor, socketPath: await supervisor.configuration.socketPath)
      }.value
      if let lifecycle = observers.lifecycle { supervisor.startFollowing(lifecycle) }
      return supervisor
    } catch {
      throw SupervisorStartError(error) ?? error
    }
  }

  /// Follows a lifecycle source until it or the supervisor ends; the program needn't keep this object for that.
  private func startFollowing(_ events: any AsyncSequence<LifecycleEvent, Never> & Sendable) {
    let following = Task { await follow(events) }
    Task { [state] in
      for await _ in state.values {}
      following.cancel()
    }
  }

  /// The progress of initialization; its `InitializationProgress.values` report the changes.
  public var progress: InitializationProgress { get async { await supervisor.manager.progress } }

  /// Retries a failed launch, starts a launch that waits for this call, or joins a running one (S9, S10).
  public func launch() async { await supervisor.manager.launch() }

  /// Makes the app active: every `appActive` initializer runs again, after launch (S4, S10).
  ///
  /// - Returns: the number of the pass that it started or joined; 0 if the supervisor is ending.
  @discardableResult public func activate() async -> Int {
    await supervisor.activate(because: "requested by the program")
  }

  /// Makes the app inactive: cancels the active pass (S11).
  public func deactivate() async { await supervisor.deactivate(because: "requested by the program") }

  /// Returns when launch is complete.
  ///
  /// - Throws: the `AppInitializationError` that launch failed with; `CancellationError` if the calling task is cancelled, or the
  ///   supervisor ends before launch has completed or failed.
  public func launched() async throws { try await supervisor.manager.launched() }

  /// Returns when launch and active are complete while the app is active; without an active phase, when launch is (S1).
  ///
  /// - Throws: the `AppInitializationError` of the composite state; `CancellationError` if the calling task is cancelled, or the supervisor ends.
  public func ready() async throws { try await supervisor.manager.ready() }

  /// Waits until a pass has ended, and returns how (S10), even if a client requested it.
  ///
  /// - Throws: `UnknownPass` if the pass is unknown or forgotten; `CancellationError` if the calling task is cancelled.
  public func outcome(ofPass number: Int) async throws -> InitializationPass.Outcome {
    try await supervisor.manager.outcome(ofPass: number)
  }

  /// Returns the last output of the program's initializer of that type, for the program itself; `nil` if there is none.
  public func output<Initializer: ContextualInitializer>(of initializer: Initializer.Type) async -> Initializer.Output?
  {
    await supervisor.manager.output(of: initializer)
  }

  /// Returns the last output of the initializer of that name; `nil` if it has no output, or one of another type.
  ///
  /// The output of a command or a worker is JSON, and is decoded as the type, which must be `Decodable`.
  public func output<Value: Sendable>(of initializer: String, as type: Value.Type = Value.self) async -> Value? {
    await supervisor.manager.output(of: initializer, as: type)
  }

  /// Shuts the supervisor down and waits for the end: all runs have stopped, clients are notified, and the socket is removed (S24).
  public func shutDown() async {
    await supervisor.shutDown(because: "requested by the program")
    // Even if this task is cancelled, the shutdown must finish in order.
    await Task { await ended() }.value
  }

  /// Waits until the supervisor has ended, by the program, a signal, or `initctl shutdown`.
  ///
  /// Returns earlier if the calling task is cancelled.
  public func ended() async { for await _ in state.values {} }

  /// Ends a service that contains it: see `Initialization`.
  public func finish() async { await shutDown() }
}

extension Supervisor {
  fileprivate func start(endingOn signals: [Int32]) throws {
    try end(on: signals)
    try start {}
  }
}

extension Logger {
  /// The default log: warnings and errors, to standard error.
  public static var warningsOfSupervisor: Logger {
    var logger = Logger(label: "initd") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    return logger
  }
}

/// Why a supervisor that is part of a program couldn't start.
public struct SupervisorStartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Says what happened, why, and what to do.
  public let description: String

  /// Translates an error of the supervisor's start into terms of its parameters.
  ///
  /// Keeps an error that is already public as it is.
  init?(_ error: any Error) {
    switch error {
    case let error as ListenerError: description = error.words(naming: "socketPath")
    case let error as JournalError: description = error.words(naming: "stateDirectory")
    case let error as SystemError: description = "cannot start a supervisor: \(error)"
    default: return nil
    }
  }
}
