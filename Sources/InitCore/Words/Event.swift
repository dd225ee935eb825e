/// A connection that keeps the app active while it lives (S23), numbered by whoever drives the machine.
public typealias HoldID = Int
/// A connected worker, numbered by whoever drives the machine.
public typealias WorkerID = Int

/// What can happen to a machine.
public enum Event: Hashable, Sendable {
  /// The manager started: the launch pass begins, unless it was told to wait for `launched` (S3).
  case started
  /// These completed in launch in an earlier life of the supervisor, and don't run again (S9). It means nothing once launch has begun.
  case remembered([String])
  /// Somebody asked for the launch phase: first time, again after a failure, or for nothing (S9, S10).
  case launched
  /// The app became active (S10); with `hold` only for as long as that connection lives (S23).
  case activated(hold: HoldID?)
  /// The connection gave its hold up, or is gone (S23).
  case holdReleased(HoldID)
  /// The app is no longer active (S11).
  case deactivated
  /// A worker registered initializers: all or none (S18, S19, S22). `process` is the kernel's word, if it gave one.
  case workerRegistered(WorkerID, process: Int32?, [Registration])
  /// Somebody took names away: all or none (S21). A worker gives its own number.
  case workerUnregistered(by: WorkerID?, [String])
  /// A worker's connection is gone (S21).
  case workerDisconnected(WorkerID)
  /// A run told how far it is (S17), and may ask for more time (S15).
  case runProgressed(run: Int, fraction: Double?, message: String?, extend: Duration?)
  /// A run has ended: its task returned, its process exited, its worker answered.
  case runFinished(run: Int, RunResult)
  /// Nothing but time passed.
  case timePassed
  /// The machine is to come to its end (S24).
  case shutdownRequested
  /// What has completed is to be stopped: nothing runs any more, here or beside the machine.
  case stopsRequested
  /// What `startStop` asked for is over.
  case stopEnded(run: Int)
}

/// How a run ended, as its provider tells it.
public enum RunResult: Hashable, Sendable {
  /// It did what it was for.
  case success
  /// It didn't.
  case failure(Cause)
}

/// What a worker says of an initializer that it provides. What is `nil` wasn't said.
public struct Registration: Hashable, Sendable {
  /// The name; see ``Declaration/name``.
  public var name: String
  /// See ``Declaration/priority``.
  public var priority: Priority?
  /// See ``Declaration/dependencies``.
  public var dependencies: [String]?
  /// See ``Declaration/timeout``.
  public var timeout: Duration?
  /// See ``Declaration/retry``.
  public var retry: RetryPolicy?
  /// See ``Declaration/isOptional``.
  public var isOptional: Bool?
  /// See ``Declaration/isPerProcess``.
  public var isPerProcess: Bool?

  /// A registration; what isn't said is taken from the manifest, else from the defaults of a declaration.
  public init(
    _ name: String, priority: Priority? = nil, dependencies: [String]? = nil, timeout: Duration? = nil,
    retry: RetryPolicy? = nil, isOptional: Bool? = nil, isPerProcess: Bool? = nil
  ) {
    self.name = name
    self.priority = priority
    self.dependencies = dependencies
    self.timeout = timeout
    self.retry = retry
    self.isOptional = isOptional
    self.isPerProcess = isPerProcess
  }

  /// The whole declaration, with `base` for what wasn't said.
  package func declaration(over base: Declaration) -> Declaration {
    Declaration(
      name, priority: priority ?? base.priority, dependencies: dependencies ?? base.dependencies,
      timeout: timeout ?? base.timeout, retry: retry ?? base.retry, isOptional: isOptional ?? base.isOptional,
      isPerProcess: isPerProcess ?? base.isPerProcess)
  }
}

/// Why the machine didn't take an event. It has changed nothing then.
public enum Refusal: Error, Hashable, Sendable {
  /// It is coming to its end and takes no new work (S24).
  case shuttingDown
  /// The name has a live provider (S18).
  case nameTaken(String)
  /// The name is that of a command or Swift object of the supervisor's own.
  case nameResident(String)
  /// The manifest declares the name so, and the registration names another priority or other dependencies.
  case declaredOtherwise(Declaration)
  /// Nobody declared the name.
  case unknownInitializer(String)
}

extension Refusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .shuttingDown: "the supervisor is shutting down"
    case .nameTaken(let name): "\(name) has a live provider; unregister it there first, or choose another name"
    case .nameResident(let name): "\(name) is the supervisor's own, and no worker's; choose another name"
    case .declaredOtherwise(let declaration):
      "the manifest declares \(declaration.name) as \(declaration.priority) with the dependencies "
        + "[\(declaration.dependencies.joined(separator: ", "))]; leave them out, or name the same"
    case .unknownInitializer(let name): "unknown initializer \(name)"
    }
  }
}
