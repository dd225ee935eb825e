public import AppInitializers
internal import InitModel
internal import InitWire
internal import InitWords
internal import WireConversions

/// The status of a supervisor and its initializers, at one moment.
public struct SupervisorStatus: Sendable, Equatable {
  /// Identifies one execution of a supervisor: different after every start.
  public let instance: String
  /// The supervisor's process.
  public let pid: Int
  /// The states.
  public let states: SupervisorStates
  /// How many connections hold the app active (S23).
  public let holds: Int
  /// How many connections get events; `nil` from a supervisor that doesn't tell.
  public let subscribers: Int?
  /// How many initializers may run at once (S6).
  public let concurrency: Int
  /// All initializers, in the order of registration.
  public let initializers: [InitializerStatus]
  /// All connected workers.
  public let workers: [WorkerStatus]
  /// The processes that the supervisor keeps running, in the manifest's order.
  public let processes: [ProcessStatus]
  /// Problems of the supervisor itself, a sentence each.
  public let warnings: [String]

  /// The state of the launch phase.
  public var launchState: InitializationState { states.launch }
  /// The state of the active phase.
  public var activeState: InitializationState { states.active }
  /// The composite of both (S1).
  public var state: InitializationState { states.composite }
  /// Whether the app is active.
  public var isActive: Bool { states.isActive }

  /// Returns the initializer of that name; `nil` if no initializer has it.
  public subscript(name: String) -> InitializerStatus? { initializers.first { $0.name == name } }

  init(_ shape: Status) {
    instance = shape.instance
    pid = shape.pid
    states = SupervisorStates(
      launch: shape.launch, active: shape.active, composite: shape.composite, lifecycle: shape.lifecycle)
    holds = shape.holds
    subscribers = shape.subscribers
    concurrency = shape.concurrency
    initializers = shape.initializers.map(InitializerStatus.init)
    workers = shape.workers.map(WorkerStatus.init)
    processes = (shape.processes ?? []).map(ProcessStatus.init)
    warnings = shape.warnings ?? []
  }
}

/// The states of one moment (S1).
public struct SupervisorStates: Sendable, Equatable {
  /// The launch phase's.
  public let launch: InitializationState
  /// The active phase's.
  public let active: InitializationState
  /// The composite of both.
  public let composite: InitializationState
  /// Whether the app is active.
  public let isActive: Bool

  init(launch: Status.State, active: Status.State, composite: Status.State, lifecycle: Word<Lifecycle>) {
    self.launch = InitializationState(launch)
    self.active = InitializationState(active)
    self.composite = InitializationState(composite)
    isActive = lifecycle == .active
  }
}

/// One initializer at one moment.
public struct InitializerStatus: Sendable, Equatable {
  /// The provider.
  public enum Provider: Sendable, Hashable {
    /// A Swift object in the supervisor.
    case inProcess
    /// A program that the supervisor starts.
    case command
    /// Another process runs it, connected over the socket.
    case worker
    /// The supervisor itself waits for something outside of it (S31).
    case waitFor
    /// A process that the supervisor keeps running: a run starts it, and completes when it is ready (S32).
    case process
    /// A kind that a later version of the supervisor added.
    case other(String)
  }

  /// The status.
  public enum Activity: Sendable, Hashable {
    /// The initializer isn't in a pass.
    case idle
    /// Waiting for its turn in a pass.
    case waiting
    /// Running.
    case running
    /// Asked to stop, but not stopped yet (S13).
    case stopping
    /// The last run completed.
    case complete
    /// The last run failed.
    case failed
    /// The last run was cancelled (S12).
    case cancelled
    /// The pass failed before the initializer's turn (S2).
    case notRun
    /// The initializer isn't run, and its dependents continue as if it had completed (S28).
    case skipped
    /// A name that a later version of the supervisor added.
    case other(String)
  }

  /// Says that the initializer runs once for a release, on one host of a fleet.
  public struct Once: Sendable, Hashable {
    /// The release.
    public let release: String
    /// The fencing token of the last run on this host; `nil` if another host runs the initializer or has run it.
    public let fence: Int?
    /// The host that has completed it, for people; `nil` before that.
    public let message: String?

    init(_ shape: Initializer.Once) {
      release = shape.release
      fence = shape.fence
      message = shape.message
    }
  }

  /// The name.
  public let name: String
  /// The phase that executes the initializer.
  public let priority: InitializerPriority
  /// The names of its dependencies.
  public let dependencies: [String]
  /// The provider.
  public let provider: Provider
  /// Whether the initializer's provider can run it now.
  public let isAvailable: Bool
  /// The status.
  public let activity: Activity
  /// Whether the others continue if the initializer fails (S8).
  public let isOptional: Bool
  /// Whether the initializer is complete, but a dependency has run since then (S26).
  public let isStale: Bool
  /// The initializer whose failure prevented this one's run, or stopped it.
  public let blockedBy: String?
  /// The last run; `nil` before there was one.
  public let run: InitializerRun?
  /// The start of that run, in seconds since the Unix epoch; `nil` before the first run.
  public let started: Double?
  /// The duration of that run; `nil` while it is in flight.
  public let duration: Duration?
  /// The process id of the command, while it runs; otherwise `nil`.
  public let pid: Int?
  /// The reported fraction of that run, 0…1 (S17).
  public let fraction: Double?
  /// The reported message of that run; while it waits for the decision of a coordinator, the coordinator's message.
  public let message: String?
  /// Why the initializer failed or wasn't run.
  public let error: AppInitializationError?
  /// If it is marked `once: fleet`, its release and the last decision about it; else `nil`.
  public let once: Once?

  init(_ shape: Initializer) {
    name = shape.name
    priority = InitializerPriority(shape.priority)
    dependencies = shape.dependencies
    provider = Provider(shape.provider)
    isAvailable = shape.available
    activity = Activity(shape.status)
    isOptional = shape.optional ?? false
    isStale = shape.stale ?? false
    blockedBy = shape.blockedBy
    if let number = shape.run, let pass = shape.pass, let phase = shape.phase {
      run = InitializerRun(
        initializer: shape.name, number: number, attempt: shape.attempt ?? 1,
        pass: InitializationPass(number: pass, phase: InitializerPriority(phase)))
    } else {
      run = nil
    }
    started = shape.started
    duration = shape.duration.map { .seconds($0) }
    pid = shape.pid
    fraction = shape.progress?.fraction
    message = shape.progress?.message
    error = shape.error.map { AppInitializationError($0) }
    once = shape.once.map(Once.init)
  }
}

extension InitializerStatus.Provider {
  init(_ word: Word<ProviderKind>) {
    switch word {
    case .known(.inProcess): self = .inProcess
    case .known(.command): self = .command
    case .known(.worker): self = .worker
    case .known(.waitFor): self = .waitFor
    case .known(.process): self = .process
    case .unknown(let text): self = .other(text)
    }
  }
}

extension InitializerStatus.Activity {
  init(_ word: Word<InitWords.InitializerStatus>) {
    switch word {
    case .known(.idle): self = .idle
    case .known(.waiting): self = .waiting
    case .known(.running): self = .running
    case .known(.stopping): self = .stopping
    case .known(.complete): self = .complete
    case .known(.failed): self = .failed
    case .known(.cancelled): self = .cancelled
    case .known(.notRun): self = .notRun
    case .known(.skipped): self = .skipped
    case .unknown(let text): self = .other(text)
    }
  }
}

/// A connected worker.
public struct WorkerStatus: Sendable, Hashable {
  /// The name from hello.
  public let name: String
  /// The process; `nil` if the kernel doesn't report it.
  public let pid: Int?
  /// The names that the worker provides.
  public let initializers: [String]

  init(_ shape: Status.Worker) {
    name = shape.client
    pid = shape.pid
    initializers = shape.initializers
  }
}
