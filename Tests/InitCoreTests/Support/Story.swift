import InitCore
import InitWords

/// A machine in a naive world that receives events step by step, and returns its reactions as short texts.
///
/// The words: `pass 1 launch started` · `launch complete, state pending` (one record: what changed in it) · `run 1 a` ·
/// `cancel 1 deactivated` · `kill 1` · `stop 2 a` · `finish` · `stopped`. The world checks notices of initializers
/// and ends of runs; tests query them by name.
struct Story {
  var world: NaiveWorld
  /// Whether the words say because of which request something runs again.
  var showsRequests = false

  init(_ declared: [Declaration], as kind: ProviderKind = .command, _ configuration: Machine.Configuration = .init()) {
    world = NaiveWorld(configuration, declared: declared.map { ($0, kind) })
  }

  init(_ declared: [(Declaration, ProviderKind)], _ configuration: Machine.Configuration = .init()) {
    world = NaiveWorld(configuration, declared: declared)
  }

  var machine: Machine { world.machine }

  mutating func tell(_ event: Event) throws -> [String] { try world.take(event).compactMap(words(of:)) }

  /// Lets the initializer's run in flight succeed.
  mutating func finish(_ name: String) throws -> [String] { try tell(.runFinished(run: run(of: name), .success)) }

  /// Lets the initializer fail, by default with exit status 1.
  mutating func fail(_ name: String, _ cause: Cause = .exit(status: 1)) throws -> [String] {
    try tell(.runFinished(run: run(of: name), .failure(cause)))
  }

  mutating func progress(
    _ name: String, _ fraction: Double? = nil, _ message: String? = nil, extend: Duration? = nil
  ) throws -> [String] {
    try tell(.runProgressed(run: run(of: name), fraction: fraction, message: message, extend: extend))
  }

  /// Answers the open question for a condition: it holds, unless there is a reason why it doesn't; and gives the fingerprint of the
  /// initializer's work, if that is known.
  mutating func answer(_ name: String, _ unmet: String? = nil, _ digest: String? = nil) throws -> [String] {
    guard let number = world.checks.first(where: { $0.value.name == name })?.key else {
      throw Broken(description: "no question for \(name) is open")
    }
    let fingerprint = digest.map { Fingerprint($0, at: world.now) }
    return try tell(.conditionChecked(check: number, unmet: unmet, fingerprint: fingerprint))
  }

  /// Lets time pass, and applies `timePassed` to the machine.
  mutating func wait(_ span: Duration) throws -> [String] {
    world.now += span
    return try tell(.timePassed)
  }

  mutating func register(
    _ worker: WorkerID, _ names: [String], process: Int32? = 100
  ) throws -> [String] { try register(worker, names.map { Registration($0) }, process: process) }

  mutating func register(
    _ worker: WorkerID, _ registrations: [Registration], process: Int32? = 100
  ) throws -> [String] { try tell(.workerRegistered(worker, process: process, registrations)) }

  func run(of name: String) throws -> RunID {
    guard let run = world.runs.first(where: { $0.value.name == name }) else {
      throw Broken(description: "no run of \(name) is in flight")
    }
    return run.key
  }

  func status(_ name: String) -> InitializerStatus? { machine.initializer(named: name)?.status }

  /// The statuses of all, in the order of registration.
  var statuses: [InitializerStatus] { machine.initializers.map(\.status) }

  private func words(of effect: Effect) -> String? {
    switch effect {
    case .startRun(let start):
      "run \(start.run) \(start.initializer)\(showsRequests ? " \(start.request.map { "\($0)" } ?? "-")" : "")"
    case .cancelRun(let run, let reason): "cancel \(run) \(reason)"
    case .killRun(let run): "kill \(run)"
    case .checkCondition(let check):
      "check \(check.number) \(check.initializer)\(showsRequests && check.isForced ? " forced" : "")"
    case .reuseOutput(let name, let phase): "reuse \(name) \(phase)"
    case .startStop(let start): "stop \(start.run) \(start.initializer)"
    case .cancelStop(let run): "cancel stop \(run)"
    case .giveUpStop(let run): "give up stop \(run)"
    case .finish: "finish"
    case .finishStops: "stopped"
    case .publish(.initializer), .publish(.initializerRemoved), .publish(.passOpened), .publish(.runEnded): nil
    case .publish(.passAbandoned(let number)): "pass \(number) abandoned"
    case .publish(.pass(let number, let phase, let status)): "pass \(number) \(phase) \(words(of: status))"
    case .publish(.state(let record, let changed)):
      changed.map { words(of: record, $0) }.joined(separator: ", ")
    }
  }

  private func words(of status: PassStatus) -> String {
    switch status {
    case .started: "started"
    case .complete: "complete"
    case .cancelled: "cancelled"
    case .failed(let failure): "failed (\(failure))"
    }
  }

  private func words(of record: StateRecord, _ aspect: StateRecord.Aspect) -> String {
    switch aspect {
    case .launch: "launch \(words(of: record.launch.state))"
    case .active: "active \(words(of: record.active.state))"
    case .composite: "state \(words(of: record.composite))"
    case .lifecycle: "app \(record.lifecycle)"
    }
  }

  private func words(of state: PhaseState) -> String {
    switch state {
    case .pending: "pending"
    case .complete: "complete"
    case .failed(let failure): "failed (\(failure))"
    }
  }
}

/// A launch initializer.
func launch(_ name: String, _ dependencies: String...) -> Declaration { Declaration(name, dependencies: dependencies) }

/// Declares an active initializer.
func active(_ name: String, _ dependencies: String...) -> Declaration {
  Declaration(name, priority: .appActive, dependencies: dependencies)
}

extension Declaration {
  func optional() -> Declaration { with { $0.isOptional = true } }
  func after(_ names: String...) -> Declaration { with { $0.after = names } }
  func group(_ name: String) -> Declaration { with { $0.group = name } }
  func rerunningDependents() -> Declaration { with { $0.rerunsDependents = true } }
  func process(_ name: String) -> Declaration { with { $0.process = name } }
  func condition() -> Declaration { with { $0.hasCondition = true } }
  func freshness(_ limit: Duration? = nil) -> Declaration { with { $0.freshness = Freshness(limit: limit) } }
  func stop() -> Declaration { with { $0.hasStop = true } }
  func perProcess() -> Declaration { with { $0.isPerProcess = true } }
  func timeout(_ timeout: Duration) -> Declaration { with { $0.timeout = timeout } }
  /// Retries without jitter: the delay is the longest one.
  func retry(_ attempts: Int, after delay: Duration = .seconds(1)) -> Declaration {
    with { $0.retry = RetryPolicy(attempts: attempts, delay: delay, maxDelay: delay) }
  }

  private func with(_ change: (inout Declaration) -> Void) -> Declaration {
    var copy = self
    change(&copy)
    return copy
  }
}
