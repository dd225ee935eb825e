public import InitWords

/// An input of the machine.
public enum Event: Hashable, Sendable {
  /// The manager started: the launch pass begins, unless it is configured to wait for `launched` (S3).
  case started
  /// These initializers completed in launch under an earlier supervisor, and don't run again (S9).
  ///
  /// Those in `stale` are complete, but a dependency ran after they had completed (S26). Initializers that may be fresh don't count as
  /// complete: when their turn comes, their `fingerprints` are compared (S30). Ignored once launch has begun.
  case remembered([String], stale: Set<String> = [], fingerprints: [String: Fingerprint] = [:])
  /// The launch phase was requested: for the first time, again after a failure, or without effect (S9, S10).
  case launched
  /// The app became active (S10); with `hold` only for as long as that connection lives (S23).
  case activated(hold: HoldID?)
  /// The connection released the hold, or ended (S23).
  case holdReleased(HoldID)
  /// The app is no longer active (S11).
  case deactivated
  /// A worker registered initializers: all or none (S18, S19, S22).
  ///
  /// `process` is the pid reported by the kernel, if there is one.
  case workerRegistered(WorkerID, process: Int32?, [Registration])
  /// Names were removed: all or none (S21).
  ///
  /// If a worker did it, `by` is its number.
  case workerUnregistered(by: WorkerID?, [String])
  /// A worker's connection ended (S21).
  case workerDisconnected(WorkerID)
  /// A run reported progress (S17), and may extend its deadline (S15).
  case runProgressed(run: RunID, fraction: Double?, message: String?, extend: Duration?)
  /// A try of a run that waits for something outside of the supervisor has failed (S31): `failure` is that of the last of its `tries`.
  case runTried(run: RunID, failure: String, tries: Int)
  /// The process of an initializer has ended, and its effect with it: the initializer runs again, and the dependents that have started are
  /// stale (S22, S32).
  case processEnded(String)
  /// A process that may register initializers was started, or has ended (S32).
  case processChanged(String, ProcessStanding)
  /// The process of this name is ready, although no run of its initializer waits for that.
  case processReady(String)
  /// A person has stopped the process of this name: it doesn't count as complete, and doesn't run until `processStarted`.
  case processStopped(String)
  /// A person starts the process of this name, which somebody may have stopped.
  case processStarted(String)
  /// In the place of a process that a person has stopped, somebody answers that counts as the process, or nobody does any more (S39).
  case processAnswered(String, isUp: Bool)
  /// A process that is ready is unhealthy, or isn't any more (S38).
  case processHealthChanged(String, isHealthy: Bool)
  /// A run no longer needs its worker, which has answered: the run doesn't end if the worker disconnects.
  case runDetached(run: RunID)
  /// A run has ended: its task returned, its process exited, its worker answered.
  case runFinished(run: RunID, RunResult)
  /// These initializers run again, in a pass of their phase after the one in flight: all or none (S26).
  ///
  /// `withDependents`: their direct and indirect dependents also run again.
  case rerunRequested([String], withDependents: Bool)
  /// The program's manifest has changed (S27).
  case reloaded(Reload)
  /// An operator cancels the runs of these initializers, and ends the delays of those between two attempts: all or none (S34).
  ///
  /// `by` is the operator's user.
  case runsCancelled([String], by: String)
  /// A condition was checked: `unmet` says why it doesn't hold, if it doesn't (S29).
  ///
  /// If the condition holds, `fingerprint` is that of the initializer's work now; `nil` if it isn't known (S30).
  case conditionChecked(check: Int, unmet: String?, fingerprint: Fingerprint? = nil)
  /// Time has passed, and nothing else has happened.
  case timePassed
  /// The machine must shut down (S24).
  case shutdownRequested
  /// The completed initializers must be stopped: nothing runs any more.
  case stopsRequested
  /// A stop requested by `startStop` has ended.
  case stopEnded(run: RunID)
}

/// The result of a run, as reported by its provider.
public enum RunResult: Hashable, Sendable {
  /// Succeeded.
  case success
  /// Failed.
  case failure(Cause)
}

/// A worker's registration of an initializer.
///
/// `nil` means not given.
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

  /// Creates a registration; values that aren't given come from the manifest, else from the defaults of a declaration.
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

  /// Returns the whole declaration, with the values of `base` for attributes that weren't given.
  package func declaration(over base: Declaration) -> Declaration {
    base.with(
      priority: priority, dependencies: dependencies, timeout: timeout, retry: retry, isOptional: isOptional,
      isPerProcess: isPerProcess)
  }
}

/// Why the machine refused an event.
///
/// A refused event changes nothing.
public enum Refusal: Error, Hashable, Sendable {
  /// The supervisor is shutting down and takes no new work (S24).
  case shuttingDown
  /// The name has a live provider (S18).
  case nameTaken(String)
  /// The name belongs to a command or a Swift object of the supervisor itself.
  case nameResident(String)
  /// The manifest declares the name like this, but the registration has another priority or other dependencies.
  case declaredOtherwise(Declaration)
  /// The name isn't declared.
  case unknownInitializer(String)
  /// These initializers run in active passes, and the app is inactive (S26).
  case inactive([String])
  /// These initializers don't run, so there is nothing to cancel (S34).
  case notRunning([InitializerStanding])
  /// A person has stopped these processes, so they can't run again.
  case stopped([InitializerStanding])
  /// These initializers never run, because they are skipped, or not selected (S28).
  case leftOut(skipped: [InitializerStanding], unselected: [InitializerStanding])
}

/// An initializer and its status.
public struct InitializerStanding: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The status.
  public let status: InitializerStatus

  /// Creates a name with its status.
  public init(_ name: String, _ status: InitializerStatus) {
    self.name = name
    self.status = status
  }
}

extension Refusal: CustomStringConvertible {
  /// Says what is refused, and what to do.
  public var description: String {
    switch self {
    case .shuttingDown: "the supervisor is shutting down"
    case .nameTaken(let name): "\(name) has a live provider; unregister it there first, or choose another name"
    case .nameResident(let name): "\(name) is provided by the supervisor itself; choose another name"
    case .declaredOtherwise(let declaration):
      "the manifest declares \(declaration.name) as \(declaration.priority) with the dependencies "
        + "[\(declaration.dependencies.joined(separator: ", "))]; leave them out, or use the same"
    case .unknownInitializer(let name): "unknown initializer \(name)"
    case .inactive(let names):
      "cannot rerun \(names.joined(separator: ", ")): the app is inactive; the next activation runs "
        + (names.count == 1 ? "it" : "them")
    case .notRunning(let standings):
      "cannot cancel: \(standings.map { "\($0.name) is \($0.status)" }.joined(separator: ", ")); "
        + "only an initializer that is running or waiting for its retry can be cancelled"
    case .stopped(let standings):
      "cannot rerun \(standings.map(\.name).joined(separator: ", ")), which somebody has stopped: initctl start "
        + standings.map(\.name).joined(separator: " ")
    case .leftOut(let skipped, let unselected):
      "cannot rerun: "
        + (skipped.map { "\($0.name) is left out by --skip" } + unselected.map { "\($0.name) is left out by --only" })
        .joined(separator: ", ") + "; to run \(skipped.count + unselected.count == 1 ? "it" : "them"), start initd "
        + (skipped.map { "without --skip \($0.name)" } + unselected.map { "with --only \($0.name)" })
        .joined(separator: " and ")
    }
  }
}
