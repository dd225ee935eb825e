package import InitCore

/// Runs an app's initializers in the right order, at launch and each time the app becomes active, and publishes the state.
///
/// The manager decides nothing: it hands events to a `Machine`, carries out the effects, and feeds back what comes of
/// them. A run is a task, whoever provides it (S13). The manager lives on an executor of its own, unless it is given an actor to live on.
///
/// ```swift
/// let manager = InitManager([EventManagerInitializer(), FavoritesInitializer()])
/// await manager.activate()
/// for await state in manager.state.values { print(state) }
/// ```
public actor InitManager {
  /// The state of the launch phase.
  public nonisolated var launchState: ObservableState { ObservableState(board: board, row: .launch) }
  /// The state of the active phase.
  public nonisolated var activeState: ObservableState { ObservableState(board: board, row: .active) }
  /// The composite of both: failed if either is (launch's error first), complete if both are, else pending (S1).
  public nonisolated var state: ObservableState { ObservableState(board: board, row: .composite) }

  nonisolated let board = StateBoard()

  /// What decides.
  package private(set) var machine: Machine
  /// Told of every notice and its instant, in order, on the manager's executor, in the step that made it.
  package var observer: (@Sendable (Notice, Instant) -> Void)?
  /// Told once shutting down is over (S24).
  package var onFinish: (@Sendable () -> Void)?

  /// Keeps alive what `unownedExecutor` names.
  private let home: AnyObject
  public nonisolated let unownedExecutor: UnownedSerialExecutor
  private let alarm: any Alarm
  private var armed: Duration?
  /// Told of what happens.
  package weak var eventsDelegate: (any AppInitializerEventsDelegate)?
  /// Takes events from the lifecycle source.
  private var following: Task<Void, Never>?
  /// What the machine asked for and hasn't been carried out, by event.
  private var steps: [Step] = []
  private var isPerforming = false
  private var providers: [String: any InitializerProvider] = [:]
  /// Who runs what nobody here provides: the workers.
  package var workerProvider: (any InitializerProvider)?
  private(set) var tasks: [Int: RunningTask] = [:]
  /// What runs have handed over: of those whose result is about to be taken, and by pass and name of those that count.
  private var produced: [Int: any Sendable] = [:]
  private(set) var outputs: [Int: [String: any Sendable]] = [:]
  /// What launch has handed over so far, while it is to be tried again: what completed won't run again (S9).
  private var carried: [String: any Sendable] = [:]
  /// The names of the objects of each type, by which a dependent asks for an output.
  private let names: [ObjectIdentifier: [String]]
  /// The last error of each that wasn't a `Cause`, so that states can carry the error itself.
  private var thrown: [String: any Error] = [:]

  /// Makes a manager of these initializers, in any order, and starts the launch (S3).
  ///
  /// - Parameters:
  ///   - initializers: each runs at most once at a time, on the global executor. Two with one name fail what needs them (S2).
  ///   - eventsDelegate: told what happens, as it happens; held weakly.
  ///   - lifecycle: events that the manager follows until they end or it is gone; without them the program says ``activate()`` itself.
  ///   - concurrency: how many may run at once (S6).
  ///   - clock: what timeouts and delays are measured by.
  ///   - home: the actor it lives on, by which delegate and publishers are called: `MainActor.shared` where they show what they are told.
  ///     An executor of its own, unless one is given: a start then needn't wait for whatever keeps the main actor busy.
  public init(
    initializers: sending [any AppInitializer], eventsDelegate: (any AppInitializerEventsDelegate)? = nil,
    lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)? = nil, concurrency: Int = 1,
    clock: some Clock<Duration> = ContinuousClock(), on home: (any Actor)? = nil
  ) {
    self.init(
      Machine.Configuration(concurrency: concurrency), objects: initializers, others: [], home: .init(home),
      objectExecutor: nil, alarm: ClockAlarm(clock))
    Task { await self.start(telling: eventsDelegate, following: lifecycle) }
  }

  /// Makes a manager of these initializers, in any order, and starts the launch; see ``init(initializers:eventsDelegate:lifecycle:concurrency:clock:on:)``.
  public init(
    _ initializers: sending [any AppInitializer], eventsDelegate: (any AppInitializerEventsDelegate)? = nil,
    lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)? = nil, concurrency: Int = 1,
    clock: some Clock<Duration> = ContinuousClock(), on home: (any Actor)? = nil
  ) {
    self.init(
      initializers: initializers, eventsDelegate: eventsDelegate, lifecycle: lifecycle, concurrency: concurrency,
      clock: clock, on: home)
  }

  /// Makes a manager of Swift objects and others, on an executor, that starts when it is told to.
  ///
  /// - Parameters:
  ///   - others: what is declared beside the objects, in order, with its provider; `nil` for what a worker has to register.
  ///   - home: where the manager lives.
  ///   - objectExecutor: where the objects' `run()` prefers to run; `nil` for the global one.
  package init(
    _ configuration: Machine.Configuration, objects: sending [any AppInitializer],
    others: [(Declaration, ProviderKind, (any InitializerProvider)?)], home: Home,
    objectExecutor: (any TaskExecutor)?, alarm: any Alarm
  ) {
    var declared: [(Declaration, ProviderKind)] = []
    declared.reserveCapacity(objects.count + others.count)
    providers.reserveCapacity(objects.count + others.count)
    let names = Dictionary(grouping: objects) { ObjectIdentifier(type(of: $0)) }.mapValues { $0.map(\.name) }
    for object in objects {
      declared.append((Declaration(object, names: names), .inProcess))
      providers[object.name] = ObjectProvider(object, executor: objectExecutor)
    }
    for (declaration, kind, provider) in others {
      declared.append((declaration, kind))
      if let provider { providers[declaration.name] = provider }
    }
    self.names = names
    self.machine = Machine(configuration, declared: declared)
    self.home = home.owner
    self.unownedExecutor = home.executor
    self.alarm = alarm
  }

  deinit {
    following?.cancel()
    board.end()
  }

  /// Nothing will change any more: every sequence of states ends.
  package nonisolated func endStates() { board.end() }

  private func start(
    telling delegate: (any AppInitializerEventsDelegate)?,
    following events: (any AsyncSequence<LifecycleEvent, Never> & Sendable)?
  ) {
    eventsDelegate = delegate
    start()
    guard let events else { return }
    following = Task { [weak self] in
      for await event in events { await self?.take(event) }
    }
  }

  /// Takes no more events from the lifecycle source.
  func stopFollowing() { following?.cancel() }

  /// Begins: the launch pass starts by itself, unless the manager was told to wait for it (S3).
  ///
  /// Where somebody called ``launch()`` before, that was the start: a launch that has already failed isn't tried again by this.
  package func start() {
    guard machine.states.launch.pass == nil else { return }
    _ = try? apply(.started)
  }

  /// These have completed in launch before this manager's time, and don't run again; to be said before ``start()``.
  ///
  /// - Parameter outputs: what they handed over, by name.
  package func remember(_ names: [String], outputs: [String: any Sendable]) {
    carried = outputs
    _ = try? apply(.remembered(names))
  }

  /// Retries a failed launch, or starts one that was told to wait; joins one that is under way (S9, S10).
  public func launch() { _ = try? apply(.launched) }

  /// The app became active: every `appActive` initializer runs again, after launch (S4, S10).
  public func activate() { _ = try? apply(.activated(hold: nil)) }

  /// The app is no longer active: the active pass is cancelled (S11).
  public func deactivate() { _ = try? apply(.deactivated) }

  /// The present instant of the manager's clock.
  package nonisolated var now: Duration { alarm.now }

  /// Hands the machine an event and carries out what it asks for.
  ///
  /// Within an effect (a cancellation handler is called in the middle of one) it only adds to what is carried out: effects keep the order
  /// of their events, and no observer hears of a newer state before an older one.
  ///
  /// - Throws: why the event isn't taken; nothing has changed then.
  package func apply(_ event: Event) throws(Refusal) {
    let now = alarm.now
    var isReport = false
    if case .runProgressed = event { isReport = true }
    steps.append(Step(effects: try machine.apply(event, at: now), now: now, isReport: isReport))
    guard !isPerforming else { return }
    isPerforming = true
    while !steps.isEmpty {
      let step = steps.removeFirst()
      for effect in step.effects { perform(effect, of: step) }
    }
    isPerforming = false
    rearm()
  }

  private func rearm() {
    // By way of inout: read as the property it is, the whole machine would be copied first.
    func deadline(of machine: inout Machine) -> Instant? { machine.nextDeadline }
    let deadline = deadline(of: &machine)
    guard deadline != armed else { return }
    armed = deadline
    let ringsAtHome = alarm.ringsAtHome
    alarm.set(deadline) { [weak self] in
      if ringsAtHome { self?.assumeIsolated { $0.ring() } } else { Task { await self?.ring() } }
    }
  }

  /// A run reports how far it is (S17).
  package func report(run: Int, fraction: Double?, message: String?, extend: Duration?) {
    _ = try? apply(.runProgressed(run: run, fraction: fraction, message: message, extend: extend))
  }

  /// The alarm rang, or somebody thinks that it should have.
  package func ring() {
    armed = nil
    _ = try? apply(.timePassed)
  }

  private func perform(_ effect: Effect, of step: Step) {
    if case .publish(.state(let record, _)) = effect { publish(record) }
    if let eventsDelegate { tell(eventsDelegate, effect, isReport: step.isReport) }
    switch effect {
    case .startRun(let start): run(start)
    case .cancelRun(let run, let reason):
      tasks[run]?.context.memory.cause.withLock { $0 = CancellationCause(reason) }
      tasks[run]?.task.cancel()
    case .killRun(let run): tasks[run]?.provider.forceStop(run: run)
    case .publish(let notice):
      keepOutput(notice)
      observer?(notice, step.now)
    case .finish: onFinish?()
    }
  }

  private func tell(_ delegate: any AppInitializerEventsDelegate, _ effect: Effect, isReport: Bool) {
    if isReport, case .publish(.initializer(let snapshot)) = effect { return delegate.hearProgress(of: snapshot) }
    delegate.hear(effect) { error(of: $0) }
  }

  private func run(_ start: RunStart) {
    guard let provider = start.worker == nil ? providers[start.initializer] : workerProvider else {
      return finish(run: start.run, .failure(.error(message: "nobody provides \(start.initializer)")), output: nil)
    }
    let context = RunContext(start, manager: self, inputs: inputs(of: start), names: names)
    let task = Task(executorPreference: provider.executor) {
      do {
        try await provider.run(context)
        await self.finish(start, error: nil, output: context.memory.output.withLock { $0 })
      } catch {
        await self.finish(start, error: error)
      }
    }
    tasks[start.run] = RunningTask(task: task, provider: provider, context: context)
  }

  private func finish(_ start: RunStart, error: (any Error)?, output: (any Sendable)? = nil) {
    tasks[start.run] = nil
    thrown[start.initializer] = start.worker == nil && !(error is Cause) ? error : nil
    finish(run: start.run, error.map { .failure(Cause($0)) } ?? .success, output: output is Void ? nil : output)
  }

  /// A run has stopped, and what it hands over if that counts; only the first word on a run does.
  package func finish(run: Int, _ result: RunResult, output: (any Sendable)?) {
    produced[run] = output
    _ = try? apply(.runFinished(run: run, result))
    produced[run] = nil
  }

  /// What a run hands over, while its end is told.
  package func output(ofEnding run: Int) -> (any Sendable)? { produced[run] }

  /// What a run handed over counts if the run does, and is there for its pass alone; in launch until that has completed.
  private func keepOutput(_ notice: Notice) {
    switch notice {
    case .runEnded(let record):
      if record.outcome == .complete, let output = produced[record.run] {
        outputs[record.pass, default: [:]][record.initializer] = output
      }
    case .pass(let number, .launch, .started): outputs[number] = carried
    case .pass(_, _, .started), .state, .initializer, .initializerRemoved, .passAbandoned: break
    case .pass(let number, let phase, let status):
      let ended = outputs.removeValue(forKey: number) ?? [:]
      if phase == .launch { carried = status == .complete ? [:] : ended }
    }
  }

  /// What the run's dependencies have handed over in its pass.
  private func inputs(of start: RunStart) -> [String: any Sendable] {
    guard let outputs = outputs[start.pass], let declared = machine.initializer(named: start.initializer) else {
      return [:]
    }
    let names = declared.declaration.dependencies
    return Dictionary(names.compactMap { name in outputs[name].map { (name, $0) } }) { first, _ in first }
  }

  private func publish(_ record: StateRecord) {
    board.publish(
      StateValues(
        launch: value(of: record.launch.state), active: value(of: record.active.state),
        composite: value(of: record.composite)))
  }

  private func value(of state: PhaseState) -> InitializationState {
    switch state {
    case .pending: .pending
    case .complete: .complete
    case .failed(let failure): .failed(error: error(of: failure))
    }
  }

  private func error(of failure: Failure) -> AppInitializationError {
    AppInitializationError(failure, thrown: thrown[failure.initializer])
  }
}

extension Declaration {
  /// What an object says of itself; a dependency by type is the names of the objects of that type, or the type's own if there are none.
  fileprivate init(_ object: any AppInitializer, names: [ObjectIdentifier: [String]]) {
    let named = object.dependencies.flatMap { names[ObjectIdentifier($0)] ?? [$0.defaultName] }
    self.init(object.name, priority: object.priority.corePriority, dependencies: named + object.dependencyNames)
  }
}

/// A run that its provider is busy with.
struct RunningTask {
  let task: Task<Void, Never>
  let provider: any InitializerProvider
  let context: RunContext
}

/// What the machine asked for on an event.
private struct Step {
  let effects: [Effect]
  let now: Instant
  /// A run reported how far it is: only what that changed is told.
  let isReport: Bool
}
