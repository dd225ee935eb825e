public import Passes

/// The answer of `/api/v1/status`: everything that is known of a supervisor.
public struct StatusDocument: Sendable, Encodable, Equatable {
  /// A phase's state.
  public struct State: Sendable, Encodable, Equatable {
    /// `pending`, `complete` or `failed`.
    public var state: String
    /// Why the phase failed.
    public var error: String?
  }

  /// An initializer.
  public struct Item: Sendable, Encodable, Equatable {
    /// The name.
    public var name: String
    /// The phase that runs the initializer.
    public var phase: Phase
    /// The status in the protocol's words.
    public var status: String
    /// The names of the initializer's dependencies.
    public var dependencies: [String]
    /// Whether the initializer's provider can run it now.
    public var available: Bool
    /// Whether the other initializers continue if this one fails.
    public var optional: Bool
    /// The initializer whose failure prevented this initializer's run, or stopped it.
    public var blockedBy: String?
    /// The number of the initializer's last run.
    public var run: Int?
    /// The number of the attempt in the pass, from 1.
    public var attempt: Int?
    /// The number of that pass.
    public var pass: Int?
    /// The start of the last run, in seconds since the Unix epoch.
    public var started: Double?
    /// The duration of the last run, in seconds.
    public var duration: Double?
    /// The share of the work that is done, 0…1.
    public var fraction: Double?
    /// The message that the run reported.
    public var message: String?
    /// Why the run failed.
    public var error: String?

    /// Describes an initializer.
    public init(_ initializer: Initializer) {
      name = initializer.name
      phase = initializer.phase
      status = initializer.status
      dependencies = initializer.dependencies
      available = initializer.isAvailable
      optional = initializer.isOptional
      blockedBy = initializer.blockedBy
      run = initializer.run?.number
      attempt = initializer.run?.attempt
      pass = initializer.run?.pass
      started = initializer.run?.started
      duration = initializer.run?.duration
      fraction = initializer.fraction
      message = initializer.message
      error = initializer.error
    }
  }

  /// A process that the supervisor keeps running.
  public struct Process: Sendable, Encodable, Equatable {
    /// The name in the manifest.
    public var name: String
    /// Whether the process runs.
    public var running: Bool
    /// The process id; nil while it doesn't run.
    public var pid: Int?
    /// The time of the last start, in seconds since the Unix epoch; nil while the process doesn't run.
    public var started: Double?
    /// How often the process was restarted.
    public var restarts: Int
    /// Whether the process isn't restarted any more.
    public var givenUp: Bool
    /// The cause of the last exit, or why the process couldn't be started.
    public var lastExit: String?
    /// The time of the next restart, in seconds since the Unix epoch, if one is scheduled.
    public var nextStart: Double?
    /// Why the process isn't started although nothing has failed.
    public var skipped: String?
    /// Whether the checks of the process fail; nil if they don't.
    public var unhealthy: Bool?
    /// What a person has done with the process, or why it is unhealthy.
    public var note: String?
  }

  /// A connected worker.
  public struct Worker: Sendable, Encodable, Equatable {
    /// The client's name.
    public var name: String
    /// The process, if it is known.
    public var pid: Int?
    /// The names of the worker's initializers.
    public var initializers: [String]
  }

  /// The states, and what readiness waits for.
  public struct Summary: Sendable, Encodable, Equatable {
    /// Whether the supervisor answers.
    public var answering: Bool
    /// Since when the supervisor hasn't answered although it is connected, in seconds since the Unix epoch: the rest is from before.
    public var silentSince: Double?
    /// Whether the app is ready, as the probe `readyz` says.
    public var ready: Bool
    /// Why the app isn't ready, for programs.
    public var reason: ProbeAnswer.Reason?
    /// The same for people, one sentence.
    public var message: String
    /// Identifies one execution of a supervisor.
    public var instance: String?
    /// The launch phase's state.
    public var launch: State?
    /// The active phase's.
    public var active: State?
    /// The composite of both.
    public var composite: State?
    /// `active` or `inactive`.
    public var lifecycle: String?
  }

  /// The states, and what readiness waits for.
  public var summary: Summary
  /// All initializers.
  public var initializers: [Item]
  /// The processes that the supervisor keeps running.
  public var processes: [Process]
  /// The connected workers.
  public var workers: [Worker]
}

extension Followed {
  /// The states, and what readiness waits for.
  public var summary: StatusDocument.Summary {
    mutating get {
      var summary = StatusDocument.Summary(answer(.readyz), picture, isAnswering: isAnswering)
      summary.silentSince = silentSince
      return summary
    }
  }

  /// Everything that is known.
  public var document: StatusDocument {
    mutating get {
      StatusDocument(summary, picture)
    }
  }
}

extension StatusDocument {
  /// Describes a supervisor that answers.
  public init(_ picture: Picture) {
    self.init(Summary(ProbeAnswer(.readyz, .answering, picture), picture, isAnswering: true), picture)
  }

  fileprivate init(_ summary: Summary, _ picture: Picture?) {
    self.init(
      summary: summary, initializers: picture?.initializers.map(Item.init) ?? [],
      processes: picture?.processes.map(Process.init) ?? [], workers: picture?.workers.map(Worker.init) ?? [])
  }
}

extension StatusDocument.Summary {
  fileprivate init(_ answer: ProbeAnswer, _ picture: Picture?, isAnswering: Bool) {
    let states = picture?.states
    self.init(
      answering: isAnswering, ready: answer.passes, reason: answer.reason, message: answer.message,
      instance: picture?.instance, launch: states.map { .init($0.launch) }, active: states.map { .init($0.active) },
      composite: states.map { .init($0.composite) }, lifecycle: states.map { $0.isActive ? "active" : "inactive" })
  }
}

extension StatusDocument.State {
  init(_ state: PhaseState) {
    self.state = state.word
    if case .failed(let error) = state { self.error = error }
  }
}

extension StatusDocument.Process {
  /// Describes a process.
  public init(_ process: KeptProcess) {
    self.init(
      name: process.name, running: process.isRunning, pid: process.pid, started: process.started,
      restarts: process.restarts, givenUp: process.isGivenUp, lastExit: process.lastExit, nextStart: process.nextStart,
      skipped: process.skipped, unhealthy: process.isUnhealthy ? true : nil, note: process.note)
  }
}

extension StatusDocument.Worker {
  /// Describes a worker.
  public init(_ worker: ConnectedWorker) {
    self.init(name: worker.name, pid: worker.pid, initializers: worker.initializers)
  }
}
