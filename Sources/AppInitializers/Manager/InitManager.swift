package import InitCore
package import InitWords

/// Runs an app's initializers in the right order, at launch and each time the app becomes active, and publishes the state.
///
/// The manager decides nothing: it passes events to a `Machine`, carries out the effects, and reports their results back. Every run is a
/// task (S13). The manager has an executor of its own, unless it is given an actor.
///
/// ```swift
/// let manager = InitManager([EventManagerInitializer(), FavoritesInitializer()])
/// await manager.activate()
/// try await manager.ready()
/// ```
///
/// Keep the manager for as long as the app runs: its states end with it.
public actor InitManager {
  /// The state of the launch phase.
  public nonisolated var launchState: ObservableState { ObservableState(observed: observed, row: .launch) }
  /// The state of the active phase.
  public nonisolated var activeState: ObservableState { ObservableState(observed: observed, row: .active) }
  /// The composite of both: failed if either is (launch's error first), complete if both are, else pending (S1).
  public nonisolated var state: ObservableState { ObservableState(observed: observed, row: .composite) }

  nonisolated let observed = ObservedStates(StateValues())
  nonisolated let observedProgress = ObservedValue(Progress())

  /// Makes all decisions.
  package private(set) var machine: Machine
  /// The hooks for the supervisor that owns this manager.
  package var hooks = ManagerHooks()
  private nonisolated let executor: ManagerExecutor
  /// The executor of the manager.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }
  private let alarm: any Alarm
  /// The deadline that the alarm is set to.
  private var armed: Duration?
  /// Launch starts automatically, with the first event or before it (S3).
  private let startsByItself: Bool
  /// The objects may share state that isn't `Sendable`: no two of them may run at once.
  let isExclusive: Bool
  package weak var eventsDelegate: (any AppInitializerEventsDelegate)?
  /// Reads events from the lifecycle source.
  private var following: Task<Void, Never>?
  private var steps = StepQueue()
  /// Whether the progress was ever asked for.
  var isProgressShown = false
  /// The objects, to find the output that a dependent requests.
  nonisolated let roster: Roster
  private(set) var providers: ProviderTable
  var tasks = RunTasks()
  /// Outputs of runs.
  private(set) var outputs = Outputs()
  /// The last thrown error of each initializer, unless it was a `Cause`, so states can carry the error itself.
  private var thrown: [String: any Error] = [:]
  /// Whether the app is active, as last published.
  private(set) var isActive = false
  var waiters = Waiters()
  var end = ManagerEnd()

  /// Creates a manager of these initializers, in any order, and starts launch (S3).
  ///
  /// The initializers run one at a time (S6).
  ///
  /// The manager takes ownership of the objects: the compiler checks that no other code uses them any more. So they may share state that
  /// isn't `Sendable`.
  ///
  /// - Parameters:
  ///   - initializers: the initializers; each runs on the global executor. If two have the same name, the initializers that need them fail
  ///     (S2).
  ///   - eventsDelegate: receives all events from the first one on; held weakly.
  ///   - lifecycle: events that the manager follows until they end or it is deallocated; without them the program calls ``activate()``
  ///     itself.
  ///   - clock: measures timeouts and delays; a test can use a clock that it advances.
  ///   - owner: the actor of the manager, which also calls the delegate and publishers: `MainActor.shared` if they update a user interface.
  ///     By default the manager has an executor of its own, so a busy main actor doesn't delay the start.
  public init(
    _ initializers: sending [any AppInitializer], eventsDelegate: (any AppInitializerEventsDelegate)? = nil,
    lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)? = nil,
    clock: some Clock<Duration> = ContinuousClock(), on owner: (any Actor)? = nil
  ) {
    self.init(
      Machine.Configuration(publishesInitializers: eventsDelegate != nil), objects: initializers, others: [],
      executor: ManagerExecutor(owner), objectExecutor: nil, alarm: ClockAlarm(clock), eventsDelegate: eventsDelegate,
      startsByItself: true)
    Task { await self.start(following: lifecycle) }
  }

  /// Creates a manager of these initializers, in any order, and starts launch (S3).
  ///
  /// Several of them may run at once.
  ///
  /// Concurrent initializers may share only `Sendable` state, which the compiler checks.
  ///
  /// - Parameters:
  ///   - initializers: the initializers; each runs on the global executor. If two have the same name, the initializers that need them fail
  ///     (S2).
  ///   - eventsDelegate: receives all events from the first one on; held weakly.
  ///   - lifecycle: events that the manager follows until they end or it is deallocated; without them the program calls ``activate()``
  ///     itself.
  ///   - concurrency: the maximum number of initializers that run at once (S6). At least 1.
  ///   - clock: measures timeouts and delays; a test can use a clock that it advances.
  ///   - owner: the actor of the manager; see ``init(_:eventsDelegate:lifecycle:clock:on:)``.
  public init(
    _ initializers: [any AppInitializer & Sendable], eventsDelegate: (any AppInitializerEventsDelegate)? = nil,
    lifecycle: (any AsyncSequence<LifecycleEvent, Never> & Sendable)? = nil, concurrency: Int,
    clock: some Clock<Duration> = ContinuousClock(), on owner: (any Actor)? = nil
  ) {
    self.init(
      Machine.Configuration(concurrency: concurrency, publishesInitializers: eventsDelegate != nil),
      objects: initializers, others: [], executor: ManagerExecutor(owner), objectExecutor: nil,
      alarm: ClockAlarm(clock),
      eventsDelegate: eventsDelegate, startsByItself: true)
    Task { await self.start(following: lifecycle) }
  }

  /// Creates a manager of Swift objects and others, on an executor.
  ///
  /// If `configuration` allows more than one run at once, the objects have to be `Sendable`. `others` is further declarations, in order,
  /// each with its provider; `nil` if a worker must register it. `executor` is the manager's executor. `objectExecutor` is the executor
  /// that the objects' `run()` prefers; `nil` for the global one. `eventsDelegate` is held weakly. `startsByItself` is true if the first
  /// event starts the manager; otherwise it waits for ``start()``.
  package init(
    _ configuration: Machine.Configuration, objects: sending [any AppInitializer],
    others: [(Declaration, ProviderKind, (any InitializerProvider)?)], executor: ManagerExecutor,
    objectExecutor: (any TaskExecutor)?, alarm: any Alarm, eventsDelegate: (any AppInitializerEventsDelegate)? = nil,
    startsByItself: Bool = false
  ) {
    let roster = Roster(objects)
    let declarations = roster.declarations(of: objects, others: others.map(\.0.name))
    var declared = declarations.map { ($0, ProviderKind.inProcess) }
    for (declaration, kind, _) in others { declared.append((declaration, kind)) }
    let machine = Machine(configuration, declared: declared)
    let own = ObjectProvider.all(objects, executor: objectExecutor)
    self.providers = ProviderTable(own, others.map(\.2), of: declared.map(\.0.name), in: machine)
    self.machine = machine
    self.roster = roster
    self.executor = executor
    self.alarm = alarm
    self.startsByItself = startsByItself
    self.isExclusive = configuration.concurrency <= 1
    self.eventsDelegate = eventsDelegate
  }

  deinit {
    following?.cancel()
    endStates()
  }

  /// Ends all sequences of states.
  package nonisolated func endStates() {
    observed.end()
    observedProgress.end()
  }

  private func start(following events: (any AsyncSequence<LifecycleEvent, Never> & Sendable)?) {
    start()
    guard let events, !machine.isEnding else { return }
    following = Task { [weak self] in
      for await event in events { await self?.handle(event) }
    }
  }

  /// Stops reading the lifecycle source.
  func stopFollowing() { following?.cancel() }

  /// Starts the manager: the launch pass starts automatically, unless the manager is configured to wait for `launch()` (S3).
  ///
  /// If ``launch()`` was called before, the manager has already started: this doesn't retry a launch that has failed.
  package func start() {
    guard machine.states.launch.pass == nil else { return }
    _ = try? apply(.started)
  }

  /// Restores launch completions from a previous supervisor: these don't run again.
  ///
  /// Call it before ``start()``.
  ///
  /// `stale` are the names with a dependency that ran after they had completed (S26). `fingerprints` are those of the initializers that may
  /// be fresh (S30). `outputs` is their outputs, by name.
  package func remember(
    _ names: [String], stale: Set<String> = [], fingerprints: [String: Fingerprint] = [:],
    outputs: [String: any Sendable]
  ) {
    self.outputs.remember(outputs)
    _ = try? apply(.remembered(names, stale: stale, fingerprints: fingerprints))
  }

  /// Returns the outputs that an initializer gets from its dependencies in a phase, if its turn comes now (S25).
  package func inputs(of initializer: String, in phase: Phase) -> [String: any Sendable] {
    outputs.isEmpty ? [:] : outputs.inputs(of: initializer, in: phase, machine)
  }

  /// Changes the declarations of the program's manifest, and their providers (S27).
  ///
  /// The whole reload is one step. A run in flight keeps its provider, and no other event is applied before the new providers are in place.
  ///
  /// `changes` are the providers of added and changed initializers by their names; `nil` for an initializer that a worker must provide.
  ///
  /// - Throws: an error that says why the event is refused; then nothing has changed.
  package func reload(_ reload: Reload, providers changes: [String: (any InitializerProvider)?]) throws(Refusal) {
    let names = query { $0.initializers.map(\.declaration.name) }
    try apply(.reloaded(reload)) {
      providers.change(names, removing: reload.removed, to: changes)
      outputs.forget(reload.removed)
    }
  }

  /// Retries a failed launch, starts a launch that waits for this call, or joins a running one (S9, S10).
  public func launch() { _ = try? apply(.launched) }

  /// Makes the app active: every `appActive` initializer runs again, after launch (S4, S10).
  ///
  /// - Returns: the number of the pass that was started or joined, for ``outcome(ofPass:)``; 0 if the manager has been ended.
  @discardableResult public func activate() -> Int {
    if startsByItself { start() }
    guard (try? apply(.activated(hold: nil))) != nil else { return 0 }
    return query { $0.states.active.pass }?.rawValue ?? 0
  }

  /// Makes the app inactive: cancels the active pass (S11).
  public func deactivate() { _ = try? apply(.deactivated) }

  /// The current instant of the manager's clock.
  package nonisolated var now: Duration { alarm.now }

  /// How many events the machine has processed.
  package var stepCount: Int { steps.count }

  /// Passes an event to the machine and carries out the effects.
  ///
  /// If called during an effect (e.g. from a cancellation handler), it only queues the new effects: they keep the order of their events,
  /// and no observer gets a newer state before an older one.
  ///
  /// `prepare` is called between the two.
  ///
  /// - Throws: an error that says why the event is refused; then nothing has changed.
  package func apply(_ event: Event, _ prepare: () -> Void = {}) throws(Refusal) {
    let now = alarm.now
    let isReport =
      switch event {
      case .runProgressed, .runTried: true
      default: false
      }
    let step = Step(effects: try machine.apply(event, at: now), now: now, isReport: isReport)
    prepare()
    guard steps.add(step) else { return }
    while let next = steps.next() { perform(next) }
    rearm()
  }

  private func perform(_ step: Step) {
    for effect in step.effects { perform(effect, of: step) }
    publishProgress()
    answerWaiters()
  }

  private func publishProgress() {
    // The progress can't be observed before.
    guard isProgressShown else { return }
    observedProgress.publish(query { $0.progress })
  }

  /// Queries the machine.
  ///
  /// The machine is passed inout, because reading it as a property would first copy it; the query doesn't change it.
  package func query<Value>(_ query: (inout Machine) -> Value) -> Value { query(&machine) }

  private func rearm() {
    let deadline = query { $0.nextDeadline }
    guard deadline != armed else { return }
    armed = deadline
    let ringsOnExecutor = alarm.ringsOnExecutor
    alarm.set(deadline) { [weak self] in
      if ringsOnExecutor { self?.assumeIsolated { $0.ring() } } else { Task { await self?.ring() } }
    }
  }

  /// Passes a run's progress to the machine (S17).
  package func report(run: RunID, fraction: Double?, message: String?, extend: Duration?) {
    _ = try? apply(.runProgressed(run: run, fraction: fraction, message: message, extend: extend))
  }

  /// Tells the machine how a run's last try failed (S31).
  package func report(run: RunID, failure: String, tries: Int) {
    _ = try? apply(.runTried(run: run, failure: failure, tries: tries))
  }

  /// Tells the machine that the alarm rang, or that its deadline may have passed.
  package func ring() {
    armed = nil
    _ = try? apply(.timePassed)
  }

  private func perform(_ effect: Effect, of step: Step) {
    if case .publish(.state(let record, _)) = effect { publish(record) }
    if let eventsDelegate { notify(eventsDelegate, effect, isReport: step.isReport) }
    switch effect {
    case .startRun(let start): run(start)
    case .checkCondition(let check):
      guard let hook = hooks.checkCondition else {
        _ = try? apply(.conditionChecked(check: check.number, unmet: nil))
        return
      }
      hook(check)
    case .reuseOutput(let initializer, let phase): outputs.reuse(of: initializer, in: phase)
    case .cancelRun(let run, let reason):
      tasks[run]?.run.context?.cancel(CancellationCause(reason))
      tasks[run]?.isStopping = true
      tasks[run]?.task.cancel()
    case .killRun(let run): tasks[run]?.run.provider.forceStop(run: run)
    case .publish(let notice):
      if case .pass(let pass, .active, .started) = notice, !machine.continuesActivation(pass) { outputs.beginActive() }
      hooks.observer?(notice, step.now)
    case .startStop(let start): stop(start)
    case .cancelStop(let run): tasks[run]?.task.cancel()
    case .giveUpStop(let run): giveUpStop(run)
    case .finish: if let onFinish = hooks.onFinish { onFinish() } else { try? apply(.stopsRequested) }
    case .finishStops: finished()
    }
  }

  private func notify(_ delegate: any AppInitializerEventsDelegate, _ effect: Effect, isReport: Bool) {
    if isReport, case .publish(.initializer(let snapshot)) = effect { return delegate.receiveProgress(of: snapshot) }
    delegate.receive(effect) { error(of: $0) }
  }

  private func run(_ start: RunStart) {
    guard let provider = start.worker == nil ? providers[start] : hooks.workerProvider else {
      return finish(run: start.run, .failure(.error(message: "\(start.initializer) has no provider")), output: nil)
    }
    outputs.clear(for: start)
    let needsContext = (provider as? ObjectProvider)?.needsContext ?? true
    let run = ReadyRun(provider, start, needsContext ? context(of: start) : nil)
    let task = tasks.idle.reuse(for: run) ?? run.newTask { await self.execute(run) }
    tasks[start.run] = RunningTask(task: task, run: run)
  }

  /// Returns the context of a run, or of the stop after it.
  func context(of start: RunStart) -> RunContext {
    let inputs = inputs(of: start.initializer, in: start.phase)
    return RunContext(start, manager: self, traceparent: hooks.traceparent?(start), inputs: inputs, roster: roster)
  }

  /// Executes a run, and then further runs that its task gets.
  private nonisolated func execute(_ first: ReadyRun) async {
    var next: ReadyRun? = first
    var count = 0
    while let run = next {
      let error = await run.execute()
      next = await finish(run, error)
      count += 1
      // A long pass of short runs doesn't keep the thread from other tasks.
      if count.isMultiple(of: 64) { await Task.yield() }
    }
  }

  /// Ends a run, and returns the run that its task executes next, if there is one.
  ///
  /// - Returns: the next run for its task, if one can start now.
  private func finish(_ run: ReadyRun, _ error: (any Error)?) -> ReadyRun? {
    let start = run.start
    let task = tasks.remove(start.run)?.task
    if error != nil || !thrown.isEmpty {
      thrown[start.initializer] = start.worker == nil && !(error is Cause) ? error : nil
    }
    tasks.idle = IdleTask(task, after: run)
    let output = error == nil ? run.context?.output : nil
    finish(run: start.run, error.map { .failure(Cause($0)) } ?? .success, output: output is Void ? nil : output)
    defer { tasks.idle = IdleTask() }
    return tasks.idle.next
  }

  /// Passes a run's result to the machine, and keeps its output.
  ///
  /// Ends a run; only the first report of its end counts.
  package func finish(run: RunID, _ result: RunResult, output: (any Sendable)?) {
    if let output {
      outputs.produced[run] = output
      // A run that was asked to stop doesn't count (S12).
      if result == .success, let (initializer, phase) = query({ $0.running(run) }) {
        let mayBeFresh = query { $0.initializer(named: initializer)?.declaration.freshness } != nil
        outputs.keep(output, of: initializer, in: phase, mayBeFresh: mayBeFresh)
      }
    }
    _ = try? apply(.runFinished(run: run, result))
    if output != nil { outputs.produced[run] = nil }
  }

  /// Returns the output of a run whose end is being processed.
  package func output(ofEnding run: RunID) -> (any Sendable)? { outputs.produced[run] }

  /// Drops the outputs of initializers that were removed.
  package func forgetOutputs(of names: [String]) { outputs.forget(names) }

  private func publish(_ record: StateRecord) {
    isActive = record.lifecycle == .active
    observed.publish(
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

  /// Returns a failure with the error itself, if a Swift object threw it.
  func error(of failure: Failure) -> AppInitializationError {
    AppInitializationError(failure, thrown: thrown[failure.initializer])
  }

  private func finished() {
    hooks.onStopped?()
    end.finish()
    cancelWaiters()
  }
}
