import OrderedCollections

/// All of semantics.md that is a decision, as one value: events in, effects out, time as an argument.
///
/// Terms. A *pass* is one execution of a phase, a *run* one attempt to execute one initializer. A pass is *in flight* from
/// its start to its end, a run from its start until it is known to have *stopped*.
///
/// The law of this type:
/// - One event is one step: `apply` changes the value, and returns what to do about it, in order. A refused event changes nothing.
/// - In a step, first what happened is noted; then passes end and begin until nothing moves (`settle`); then the
///   states are published, as one record; and only then are runs started. So whoever follows the notices sees a phase complete before
///   anything that had to wait for it runs.
/// - Runs of a phase start only while no run of the other is in flight: launch waits for the active pass's runs to stop, the
///   active pass for the launch pass to end.
/// - A result counts only for a run in flight that wasn't told to stop; everything else about it is dropped (S12).
/// - Nothing here recurses over the graph. A step costs logarithmic time in the number of initializers, spread over the
///   pass; planning, starting and ending a pass cost linear time.
///
/// Where each rule is decided: passes and states in `Machine+passes`, lifecycle events in `Machine+lifecycle`, runs in
/// `Machine+runs`, workers in `Machine+workers`, deadlines in `Machine+time`, order in `Plan`, the end in `Machine+stops`.
public struct Machine: Hashable, Sendable {
  /// What is decided before the machine starts.
  public struct Configuration: Hashable, Sendable {
    /// How many initializers may run at once (S6). At least 1.
    public var concurrency: Int
    /// How long a pass waits for workers when nothing else can run (S20).
    public var registrationTimeout: Duration
    /// How long a run that was told to stop may take, before it is made to (S13).
    public var cancelGrace: Duration
    /// How long a stop may take at the end, before it is told to end (S24).
    public var stopTimeout: Duration
    /// Whether the launch pass starts by itself (S3).
    public var launchesAtStart: Bool
    /// Whether workers can connect; without that, a missing dependency is known when a pass is planned (S5, S20).
    public var acceptsWorkers: Bool
    /// What the jitter of retries is drawn from (S16).
    public var seed: UInt64
    /// Whether a registration leaves the planning to the next ``Event/timePassed``, for which a deadline is set at once. Registrations that come
    /// together then cost one planning of the pass, not one each.
    public var defersPlanning: Bool

    /// A configuration; what isn't said has the defaults of semantics.md.
    public init(
      concurrency: Int = 1, registrationTimeout: Duration = .seconds(10), cancelGrace: Duration = .seconds(5),
      stopTimeout: Duration = .seconds(10), launchesAtStart: Bool = true, acceptsWorkers: Bool = false,
      seed: UInt64 = 0, defersPlanning: Bool = false
    ) {
      self.concurrency = max(1, concurrency)
      self.registrationTimeout = registrationTimeout
      self.cancelGrace = cancelGrace
      self.stopTimeout = stopTimeout
      self.launchesAtStart = launchesAtStart
      self.acceptsWorkers = acceptsWorkers
      self.seed = seed
      self.defersPlanning = defersPlanning
    }
  }

  /// How many passes that have ended are remembered, for those who ask how they ended.
  public static let rememberedPasses = 32

  /// What was decided before the machine started.
  public let configuration: Configuration
  var registry: OrderedDictionary<String, Entry> = [:]
  var launch = PhaseRecord()
  var active = PhaseRecord()
  var lifecycle: Lifecycle = .inactive
  /// A plain `activate` is standing (S23).
  var isHeldPlainly = false
  var holds: Set<HoldID> = []
  /// How many bytes the names and dependencies of all initializers have.
  var declaredBytes = 0
  /// What completed in launch before this machine's time, and no worker has registered since.
  var remembered: Set<String> = []
  /// What each connected worker provides.
  var provided: [WorkerID: Set<String>] = [:]
  var runs: [Int: Run] = [:]
  var deadlines = IndexedHeap<Deadline, Instant>()
  var lastPass = 0
  var lastRun = 0
  /// How the passes that have ended did, oldest first.
  var ended: OrderedDictionary<Int, PassStatus> = [:]
  /// The record that observers have.
  var published: StateRecord
  /// How often something that has a stop has completed.
  var lastCompletion = 0
  var isShuttingDown = false
  /// What is left to stop, once that was asked for.
  var stopping: Stopping?
  /// The number of the stop under way.
  var stopRun: Int?
  var isFinished = false
  /// What the step under way has asked for so far.
  var effects: [Effect] = []

  /// A machine that hasn't started.
  ///
  /// `declared` are the initializers of the program and its manifest, in the order of registration (S6), each with who provides it. A
  /// name that stands there twice fails whatever pass needs it (S2, S5).
  public init(_ configuration: Configuration = Configuration(), declared: [(Declaration, ProviderKind)] = []) {
    self.configuration = configuration
    self.published = StateRecord(
      launch: .init(state: .pending), active: .init(state: .pending), lifecycle: .inactive)
    registry.reserveCapacity(declared.count)
    for (declaration, kind) in declared {
      if registry[declaration.name] != nil {
        registry[declaration.name]?.isDuplicated = true
        continue
      }
      let provider: Entry.Provider? = kind == .worker ? nil : .resident
      var entry = Entry(declaration: declaration, kind: kind, provider: provider, fixed: declaration)
      entry.shown = snapshot(of: entry)
      registry[declaration.name] = entry
      declaredBytes += declaration.nameBytes
    }
  }

  /// Takes one event and returns what to do about it, in order.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - now: when it happened, in the caller's clock; never earlier than in the call before.
  /// - Throws: why the event isn't taken. The machine is as it was then.
  public mutating func apply(_ event: Event, at now: Instant) throws(Refusal) -> [Effect] {
    switch event {
    case .started: if configuration.launchesAtStart { try takeLaunch(at: now) }
    case .remembered(let names): takeMemory(of: names)
    case .launched: try takeLaunch(at: now)
    case .activated(let hold): try takeActivation(hold: hold, at: now)
    case .holdReleased(let hold): takeRelease(of: hold, at: now)
    case .deactivated: takeDeactivation(at: now)
    case .workerRegistered(let worker, let process, let registrations):
      try takeRegistration(of: registrations, by: worker, process: process, at: now)
    case .workerUnregistered(let worker, let names): try takeUnregistration(of: names, by: worker, at: now)
    case .workerDisconnected(let worker): takeDisconnection(of: worker, at: now)
    case .runProgressed(let run, let fraction, let message, let extend):
      takeProgress(of: run, fraction: fraction, message: message, extend: extend, at: now)
    case .runFinished(let run, let result): takeResult(result, of: run, at: now)
    case .timePassed: takeTime(at: now)
    case .shutdownRequested: takeShutdown(at: now)
    case .stopsRequested: takeStopsRequest()
    case .stopEnded(let run): takeStopEnd(of: run)
    }
    settle(at: now)
    publishStates()
    pump(.launch, at: now)
    pump(.active, at: now)
    if isShuttingDown, !isFinished, runs.isEmpty {
      isFinished = true
      effects.append(.finish)
    }
    stopNext(at: now)
    defer { effects = [] }
    return effects
  }

  /// A phase's record; read and changed in place.
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

  /// Changes what is known of an initializer, in place and with one look for it.
  mutating func change(_ name: String, _ body: (inout Entry) -> Void) {
    guard let index = registry.index(forKey: name) else { return }
    body(&registry.values[index])
  }
}
