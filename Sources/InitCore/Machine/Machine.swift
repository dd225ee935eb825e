public import InitWords
import OrderedCollections

/// The rules of Semantics.md as one value: events in, effects out, time as an argument.
///
/// Terms. A *pass* is one execution of a phase, a *run* one attempt to execute one initializer. A pass is *in flight* from
/// its start to its end, a run from its start until it is known to have *stopped*.
///
/// Invariants:
/// - One event is one step: `apply` changes the value, and returns the effects, in order. A refused event changes nothing.
/// - A step first records the event, then ends and begins passes until nothing changes (`settle`), then publishes the states as one record.
///   Only then does it start runs. So observers see a phase complete before any run that waited for it starts.
/// - Runs of a phase start only while no run of the other phase is in flight: launch waits until the active pass's runs have stopped, and
///   the active pass waits until the launch pass ends.
/// - A result counts only for a run in flight that wasn't asked to stop; everything else about it is dropped (S12).
/// - No function here recurses over the graph. A step costs logarithmic time in the number of initializers, spread over the
///   pass; planning, starting and ending a pass cost linear time.
///
/// Rules by file: passes and states in `Machine+passes`, their plans in `PassPlanner`, lifecycle events in `Machine+lifecycle`, runs in
/// `Machine+runs`, an operator's cancellations in `Machine+cancel`, reruns in `Machine+rerun`, a new manifest in `Machine+reload`, workers
/// in `Machine+workers`, deadlines in `Machine+time`, the order in `Plan`, and stops at the end in `Machine+stops`.
public struct Machine: Hashable, Sendable {
  /// The machine's settings; only a reload changes some of them (S27).
  public struct Configuration: Hashable, Sendable {
    /// How many initializers may run at once (S6).
    ///
    /// At least 1.
    public var concurrency: Int
    /// How long a pass waits for workers when nothing else can run (S20).
    public var registrationTimeout: Duration
    /// The maximum time that a run may take to stop before it is killed (S13).
    public var cancelGrace: Duration
    /// The maximum time that a stop at the end may take before it is cancelled (S24).
    public var stopTimeout: Duration
    /// Whether the launch pass starts automatically (S3).
    public var launchesAtStart: Bool
    /// Whether workers can connect; if not, a missing dependency is an error as soon as a pass is planned (S5, S20).
    public var acceptsWorkers: Bool
    /// Whether a failure stops only its dependents; then the pass fails at its end (S28).
    public var keepsGoing: Bool
    /// How many of each group of initializers may run at once (S33).
    public var groups: [String: Int] = [:]
    /// The initializers that aren't run, and count as complete (S28).
    public var skipped: Set<String> = []
    /// The initializers that are selected to run, together with everything they need; empty for all (S28).
    public var only: Set<String> = []
    /// The seed for the jitter of retries (S16).
    public var seed: UInt64
    /// Whether changes of single initializers and ends of runs are published.
    ///
    /// Whether there are notices about initializers; nothing else depends on it.
    public var publishesInitializers: Bool
    /// Whether a registration defers the planning to the next ``Event/timePassed``, for which it sets a deadline.
    ///
    /// Registrations that arrive together then cost one planning of the pass, not one each.
    public var defersPlanning: Bool

    /// Creates a configuration, with the defaults of Semantics.md.
    public init(
      concurrency: Int = 1, registrationTimeout: Duration = .seconds(10), cancelGrace: Duration = .seconds(5),
      stopTimeout: Duration = .seconds(10), launchesAtStart: Bool = true, acceptsWorkers: Bool = false,
      keepsGoing: Bool = false, seed: UInt64 = 0, publishesInitializers: Bool = true, defersPlanning: Bool = false
    ) {
      self.concurrency = max(1, concurrency)
      self.registrationTimeout = registrationTimeout
      self.cancelGrace = cancelGrace
      self.stopTimeout = stopTimeout
      self.launchesAtStart = launchesAtStart
      self.acceptsWorkers = acceptsWorkers
      self.keepsGoing = keepsGoing
      self.seed = seed
      self.publishesInitializers = publishesInitializers
      self.defersPlanning = defersPlanning
    }
  }

  /// How many ended passes are remembered, with their outcomes.
  public static let rememberedPasses = 32

  /// The machine's settings.
  public internal(set) var configuration: Configuration
  var registry = Registry()
  var launch = PhaseRecord()
  var active = PhaseRecord()
  var lifecycle: Lifecycle = .inactive
  /// Whether the app was activated without a hold (S23).
  var isHeldPlainly = false
  var holds: Set<HoldID> = []
  var tally = DeclarationTally()
  /// Names that completed in launch under an earlier supervisor, and that no worker has registered since.
  var remembered: Set<String> = []
  /// The names in `remembered` with a dependency that has run since they completed (S26).
  var staleRemembered: Set<String> = []
  /// The names that each connected worker provides.
  var provided: [WorkerID: Set<String>] = [:]
  /// The processes that live, or have ended permanently (S32).
  var processes: [String: ProcessStanding] = [:]
  /// The processes that are ready although no run waited for that, since the last launch pass began (S32).
  var recovered: Set<String> = []
  var runs: [RunID: Run] = [:]
  var deadlines = IndexedHeap<Deadline, Instant>()
  /// How many of each group may run at once (S33).
  var groups: [String: Int]
  /// The number of the last question for a condition (S29).
  /// The processes that a person has stopped.
  var stopped: Set<String> = []
  /// The processes that are unhealthy (S38).
  var unhealthy: Set<String> = []
  var lastCheck = 0
  var lastPass: PassID = 0
  var lastRun: RunID = 0
  /// The last end of a run, for the records of the runs that start after it.
  var lastEnd: RunEnd?
  /// The last end of a run of each group, which freed a place of the group (S33).
  var lastEnds: [String: RunEnd] = [:]
  /// The outcomes of ended passes, oldest first.
  var ended: OrderedDictionary<PassID, PassStatus> = [:]
  /// The last published record of states.
  var published: StateRecord
  /// Counts completions of initializers that have a stop.
  var lastCompletion = 0
  var isShuttingDown = false
  /// The stops to do, once they are requested.
  var stopping: Stopping?
  /// Whether an initializer with a complete dependent can start (S26).
  ///
  /// Until an initializer runs again, is removed or is declared otherwise, none can become stale, so none is looked for.
  var mayMakeStale = false
  /// The number of the current stop.
  var stopRun: RunID?
  var isFinished = false
  /// The initializers whose delay ended in the current step: each is published if it can't start at once.
  var dueAgain: [String] = []
  /// The effects of the current step so far.
  var effects: [Effect] = []

  /// Creates a machine that hasn't started.
  ///
  /// `declared` are the initializers of the program and its manifest, in the order of registration (S6), each with its provider. A
  /// duplicate name fails every pass that needs it (S2, S5).
  public init(_ configuration: Configuration = Configuration(), declared: [(Declaration, ProviderKind)] = []) {
    self.configuration = configuration
    groups = configuration.groups
    self.published = StateRecord(
      launch: .init(state: .pending), active: .init(state: .pending), lifecycle: .inactive)
    registry.reserveCapacity(declared.count)
    for (declaration, kind) in declared {
      let provider: Entry.CurrentProvider? = kind == .worker ? nil : .resident
      var entry = Entry(declaration: declaration, kind: kind, provider: provider, isFixed: true)
      if configuration.skipped.contains(declaration.name) { entry.skip(.requested) }
      guard registry.add(entry) else {
        registry[declaration.name]?.isDuplicated = true
        continue
      }
      if configuration.publishesInitializers {
        let index = InitializerIndex(registry.count - 1)
        registry[index].shown = snapshot(of: index)
      }
      tally.add(declaration)
    }
    published.hasActivePhase = tally.active > 0
    updateSelection()
    effects = []
  }

  /// Processes one event and returns the effects, in order.
  ///
  /// - Parameters:
  ///   - event: the event to apply.
  ///   - now: the time of the event, in the caller's clock; never earlier than in the previous call.
  /// - Returns: the effects to carry out, in order.
  /// - Throws: why the event is refused. The machine is unchanged then.
  public mutating func apply(_ event: Event, at now: Instant) throws(Refusal) -> [Effect] {
    effects.reserveCapacity(4)
    switch event {
    case .started: if configuration.launchesAtStart { try handleLaunch(at: now) }
    case .remembered(let names, let stale, let fingerprints):
      restoreCompletions(of: names, stale: stale, fingerprints)
    case .launched: try handleLaunch(at: now)
    case .activated(let hold): try handleActivation(hold: hold, at: now)
    case .holdReleased(let hold): handleRelease(of: hold, at: now)
    case .deactivated: handleDeactivation(at: now)
    case .workerRegistered(let worker, let process, let registrations):
      try handleRegistration(of: registrations, by: worker, process: process, at: now)
    case .workerUnregistered(let worker, let names): try handleUnregistration(of: names, by: worker, at: now)
    case .workerDisconnected(let worker): handleDisconnection(of: worker, at: now)
    case .runProgressed(let run, let fraction, let message, let extend):
      handleProgress(of: run, fraction: fraction, message: message, extend: extend, at: now)
    case .runTried(let run, let failure, let tries): handleTry(of: run, failure, tries, at: now)
    case .processEnded(let name): handleProcessEnd(of: name, at: now)
    case .processChanged(let name, let standing): handleProcessChange(of: name, standing, at: now)
    case .processReady(let name): handleRecovery(of: name, at: now)
    case .processStopped(let name): handleStop(ofProcess: name, at: now)
    case .processStarted(let name): handleStart(ofProcess: name, at: now)
    case .processAnswered(let name, let isUp): handleAnswer(inPlaceOf: name, isUp: isUp, at: now)
    case .processHealthChanged(let name, let isHealthy):
      if isShuttingDown { break }
      if isHealthy { unhealthy.remove(name) } else { unhealthy.insert(name) }
    case .runDetached(let run): runs[run]?.worker = nil
    case .runFinished(let run, let result): handleResult(result, of: run, at: now)
    case .rerunRequested(let names, let withDependents):
      try handleRerun(of: names, withDependents: withDependents, at: now)
    case .reloaded(let reload): try handleReload(reload, at: now)
    case .runsCancelled(let names, let user): try handleCancellation(of: names, by: user, at: now)
    case .conditionChecked(let number, let unmet, let fingerprint):
      handleCheck(number, unmet: unmet, fingerprint, at: now)
    case .timePassed: handleTime(at: now)
    case .shutdownRequested: handleShutdown(at: now)
    case .stopsRequested: handleStopsRequest()
    case .stopEnded(let run): handleStopEnd(of: run)
    }
    settle(at: now)
    publishStates()
    pump(.launch, at: now)
    pump(.active, at: now)
    while let name = dueAgain.popLast() { touch(name) }
    if isShuttingDown, !isFinished, runs.isEmpty {
      isFinished = true
      effects.append(.finish)
    }
    stopNext(at: now)
    defer { effects = [] }
    return effects
  }

  /// Accesses a phase's record.
  ///
  /// The record is changed in place, but reading copies it; see ``inPass(_:_:)``.
  subscript(phase: Phase) -> PhaseRecord {
    get {
      switch phase {
      case .launch: launch
      case .active: active
      }
    }
    _modify {
      switch phase {
      case .launch: yield &launch
      case .active: yield &active
      }
    }
  }

  /// Reads or changes the pass in flight in place; `nil` if no pass is in flight.
  ///
  /// Each step uses this function instead of the subscript, which copies the whole record, with many arrays to retain.
  mutating func inPass<Result>(_ phase: Phase, _ body: (inout Pass) -> Result) -> Result? {
    switch phase {
    case .launch: launch.hasPass ? body(&launch.pass!) : nil
    case .active: active.hasPass ? body(&active.pass!) : nil
    }
  }
}
