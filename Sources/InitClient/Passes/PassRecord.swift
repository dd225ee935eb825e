public import AppInitializers
internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords
internal import WireConversions

/// A pass that a supervisor has recorded, with its runs, and where its time went.
///
/// Get it with ``SupervisorClient/history(limit:phase:inFlight:)``.
public struct PassRecord: Sendable, Equatable {
  /// The number, unique in one execution of a supervisor.
  public let number: Int
  /// The phase that the pass executed.
  public let phase: InitializerPriority
  /// The time at which the pass started, in seconds since the Unix epoch.
  public let started: Double
  /// When its runs could begin, in seconds since the Unix epoch; `nil` if they couldn't.
  ///
  /// An active pass waits for launch (S4).
  public let opened: Double?
  /// The duration of the pass, from its start to its end; `nil` while it is in flight.
  public let duration: Duration?
  /// The outcome of the pass; `nil` while it is in flight.
  public let outcome: SupervisorEvent.PassOutcome?
  /// Why the pass failed; `nil` if it didn't.
  public let error: AppInitializationError?
  /// How many runs could be in flight at once (S6); `nil` if the supervisor doesn't report it.
  public let concurrency: Int?
  /// How many cores the runs of the pass could use; `nil` if that is unknown.
  public let cores: Double?
  /// The W3C trace context of the supervisor's environment, if the pass belongs to that trace; `nil` if it is a trace of its own.
  public let traceparent: String?
  /// The runs, in the order in which they ended; those in flight come last.
  ///
  /// Each attempt is a run (S16).
  public let runs: [RunRecord]
  /// Where the time of each initializer went, in the order in which their first runs started.
  public let initializers: [InitializerRecord]
  /// Explains the duration of the pass, from its opening to the initializer that ended last, in the order of time.
  ///
  /// The shares of the steps add up to the time from the opening to the end.
  public let criticalPath: [CriticalStep]

  /// Converts a pass of the protocol; `status` is a Status shortly before, if the pass may be in flight.
  init(_ shape: Pass, _ status: Status?) {
    number = shape.pass
    phase = InitializerPriority(shape.phase)
    started = shape.started
    opened = shape.opened
    duration = shape.duration.map { .seconds($0) }
    outcome = shape.outcome?.known.map(SupervisorEvent.PassOutcome.init)
    error = shape.error.map { AppInitializationError($0) }
    concurrency = shape.concurrency
    cores = shape.cores
    traceparent = shape.traceparent
    runs = shape.runs.map(RunRecord.init)
    let timeline = status.map { Timeline(shape, status: $0) } ?? Timeline(shape, now: shape.started)
    initializers = timeline.initializers.map(InitializerRecord.init)
    criticalPath = CriticalPath(timeline).steps.map(CriticalStep.init)
  }
}

/// A run of an initializer in a ``PassRecord``.
public struct RunRecord: Sendable, Hashable {
  /// The number, unique in one execution of a supervisor.
  public let number: Int
  /// The name of the initializer.
  public let initializer: String
  /// The number of the attempt in its pass, from 1 (S16).
  public let attempt: Int
  /// When the initializer's dependencies had completed, in seconds since the Unix epoch.
  public let ready: Double
  /// The time at which the run started, in seconds since the Unix epoch.
  public let started: Double
  /// The duration of the run; `nil` while it is in flight.
  public let duration: Duration?
  /// The CPU time of the run; `nil` while it is in flight, and if it isn't known.
  public let cpu: Duration?
  /// The outcome of the run; `nil` while it is in flight.
  public let outcome: SupervisorEvent.PassOutcome?
  /// Why the run failed; `nil` if it didn't.
  public let error: InitializerFailure?
  /// The names of the initializers that the run waited for.
  public let waitedFor: [String]
  /// The W3C trace context of the run's command or worker; `nil` if the supervisor doesn't report it.
  public let traceparent: String?

  init(_ shape: Pass.Run) {
    number = shape.run
    initializer = shape.initializer
    attempt = shape.attempt
    ready = shape.ready
    started = shape.started
    duration = shape.duration.map { .seconds($0) }
    cpu = shape.cpu.map { .seconds($0) }
    outcome = shape.outcome?.known.map(SupervisorEvent.PassOutcome.init)
    error = shape.cause.map { InitializerFailure($0) }
    waitedFor = shape.waitedFor
    traceparent = shape.traceparent
  }
}

/// Where the time of one initializer went in a ``PassRecord``.
///
/// In a pass in flight, unfinished times count up to the time of the request.
public struct InitializerRecord: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The outcome of the initializer, or that it waits or runs.
  public let outcome: InitializerStatus.Activity
  /// How many runs the initializer had.
  public let attempts: Int
  /// The time from the pass's opening until its last dependency completed.
  public let waited: Duration
  /// The time from then to the start of its first run: it waited for its turn, or for its worker.
  public let queued: Duration
  /// The sum of the durations of all runs.
  public let running: Duration
  /// The sum of all pauses between the runs.
  public let backoff: Duration
  /// The CPU time of the initializer's runs; `nil` if it isn't known.
  public let cpu: Duration?

  /// The time from the pass's opening to the initializer's own end.
  public var finished: Duration { waited + queued + running + backoff }

  init(_ timeline: InitializerTimeline) {
    name = timeline.name
    outcome = InitializerStatus.Activity(.known(timeline.outcome))
    attempts = timeline.runs.count
    waited = .seconds(timeline.waited)
    queued = .seconds(timeline.queued)
    running = .seconds(timeline.running)
    backoff = .seconds(timeline.backoff)
    cpu = timeline.cpu.map { .seconds($0) }
  }
}

/// One initializer of a pass's critical path, and its share of the time.
public struct CriticalStep: Sendable, Hashable {
  /// The kind of the initializer's last wait.
  public enum Link: String, Sendable, Hashable, CaseIterable {
    /// The last dependency completed.
    case dependency
    /// A run ended, and this one could start in its place (S6).
    case place
    /// The worker registered the initializer (S20).
    case worker
    /// The pass opened.
    case opening
  }

  /// The name.
  public let name: String
  /// The kind of the initializer's last wait.
  public let link: Link
  /// The initializer whose end, or whose worker's registration, that was; `nil` at the opening.
  public let from: String?
  /// The time until its first run started.
  public let queued: Duration
  /// The sum of the durations of all runs.
  public let running: Duration
  /// The sum of all pauses between the runs.
  public let backoff: Duration

  /// The initializer's share of the pass's time.
  public var share: Duration { queued + running + backoff }

  init(_ step: CriticalPath.Step) {
    name = step.name
    link =
      switch step.link {
      case .dependency: .dependency
      case .place: .place
      case .worker: .worker
      case .launch, .opening: .opening
      }
    from = step.from
    queued = .seconds(step.queued)
    running = .seconds(step.running)
    backoff = .seconds(step.backoff)
  }
}

extension SupervisorEvent.PassOutcome {
  init(_ outcome: OutcomeName) {
    switch outcome {
    case .complete: self = .complete
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}
