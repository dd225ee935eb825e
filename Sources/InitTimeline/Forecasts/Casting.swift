internal import InitCore
internal import InitWire
internal import InitWords

/// The description of a recorded pass for the machine: its initializers, and how their runs go.
struct Casting: Sendable {
  /// A run as it will go.
  struct Part: Sendable {
    let duration: Duration
    let result: RunResult
    /// Whether it was told to stop: then its duration includes the time that it needed to stop.
    let wasCancelled: Bool
  }

  /// The initializers of the pass, in the order of registration.
  ///
  /// Those that the pass ran only as dependencies belong to the active phase.
  private(set) var declared: [(Declaration, ProviderKind)] = []
  /// The runs of each, in the order of their starts.
  private(set) var parts: [String: [Part]] = [:]
  /// The events of workers, in the order of time.
  ///
  /// Instants count from the opening.
  private(set) var workers: [(at: Instant, event: Event)] = []

  /// Casts the runs of a pass, with the differences.
  init(_ graph: ExecutedGraph, _ pass: PassShape, among initializers: [InitializerShape], _ whatIf: WhatIf) {
    let stints = Dictionary(grouping: graph.stints.indices) { graph.stints[$0].name }
    let known = Dictionary(initializers.map { ($0.name, $0) }) { first, _ in first }
    var isListed = Set(initializers.map(\.name))
    let names = initializers.map(\.name) + graph.stints.map(\.name).filter { isListed.insert($0).inserted }
    for name in names where !whatIf.without.contains(name) {
      guard let own = stints[name], let last = own.last else { continue }
      let stint = graph.stints[last]
      let dependencies = stint.waitedFor.filter { dependency in
        // A dependency that ran again later would depend on itself.
        !whatIf.without.contains(dependency) && (stints[dependency]?.last).map { $0 < last } == true
      }
      let isRoot = known[name].map { $0.priority.known == pass.phase.known?.priority } ?? true
      declared.append(
        (
          Declaration(
            name, priority: isRoot ? .appLaunch : .appActive, dependencies: dependencies, retry: stint.retry,
            isOptional: stint.runs.last?.outcome?.known == .failed && pass.error?.initializer != name),
          register(own.map { graph.stints[$0] }, since: graph.opened)
        ))
      parts[name] = own.flatMap { graph.stints[$0].parts(whatIf) }
    }
    workers.sort { $0.at < $1.at }
  }

  /// Notes when workers register a name, and remove it before it runs again.
  ///
  /// Returns the kind of its provider.
  private mutating func register(_ stints: [Stint], since opened: Double) -> ProviderKind {
    guard let start = stints[0].start else { return .worker }
    let first = max(0, (start.provided ?? 0) - opened)
    guard first > 0 || stints.count > 1 else { return .command }
    let name = stints[0].name
    workers.append((.seconds(first), .workerRegistered(WorkerID(workers.count), process: nil, [Registration(name)])))
    for (earlier, later) in zip(stints, stints.dropFirst()) {
      let worker = workers.count - 1
      let removed = Duration.seconds(earlier.ended - opened)
      let provided = Duration.seconds((later.start?.provided ?? later.started) - opened)
      workers.append((removed, .workerUnregistered(by: WorkerID(worker), [name])))
      workers.append(
        (max(removed, provided), .workerRegistered(WorkerID(worker + 2), process: nil, [Registration(name)])))
    }
    return .worker
  }
}

extension Stint {
  /// The pause after its last run, if the pass ended in it, or hasn't ended.
  private var isPaused: Bool { runs.last?.leavesAttempts == true && ended - started - running > pauses + 0.001 }

  private var pauses: Double {
    zip(runs, runs.dropFirst()).reduce(0) { $0 + max(0, $1.1.started - $1.0.started - ($1.0.duration ?? 0)) }
  }

  /// As many attempts as there were, with pauses that add up to the recorded ones.
  fileprivate var retry: RetryPolicy {
    let attempts = runs.count + (isPaused ? 1 : 0)
    let pause = attempts > 1 ? Duration.seconds(backoff / Double(attempts - 1)) : .zero
    return RetryPolicy(attempts: attempts, delay: pause, factor: 1, maxDelay: pause)
  }

  /// Returns the runs with the differences.
  ///
  /// A run that has no outcome yet succeeds now.
  fileprivate func parts(_ whatIf: WhatIf) -> [Casting.Part] {
    let factor = whatIf.factor(of: name, running: running)
    var parts = runs.map { run in
      let duration = run.duration ?? max(0, ended - run.started)
      let isFailure = run.outcome?.known == .failed
      return Casting.Part(
        duration: .seconds(duration * factor), result: isFailure ? .failure(run.cause ?? .workerLost) : .success,
        wasCancelled: run.outcome?.known == .cancelled)
    }
    if isPaused { parts.append(Casting.Part(duration: .zero, result: .success, wasCancelled: false)) }
    if running <= 0, let duration = whatIf.durations[name], let last = parts.last {
      parts[parts.count - 1] = Casting.Part(
        duration: .seconds(duration), result: last.result, wasCancelled: last.wasCancelled)
    }
    return parts
  }
}
