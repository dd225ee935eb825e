internal import InitCore
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWords

/// A recorded pass as input of a simulation: its initializers, and how their runs go.
struct SimulationInput: Sendable {
  /// The course of a simulated run.
  struct Run: Sendable {
    /// The duration of the run, unless it has a demand.
    var duration: Duration
    let result: RunResult
    /// Whether the run was told to stop: in that case its duration includes the time that it needed to stop.
    var wasCancelled = false
    /// The needs of a run that computes: its duration depends on the other runs.
    var demand: Demand?
    /// The earliest time at which the run ends: when the thing that it waits for is up.
    ///
    /// Counts from the opening.
    var moment: Instant?
    /// The CPU time of the run in seconds.
    var cpu: Double = 0
  }

  /// The part of an initializer in one phase.
  private struct Role {
    var dependencies: [String] = []
    var runs: [Run] = []
    var attempts = 1
    /// The sum of all pauses between the attempts, in seconds.
    var backoff: Double = 0
    var provider = ProviderKind.command
    var isOptional = false
  }

  /// The initializers, in the order of registration.
  ///
  /// If only one pass is executed, initializers that it ran only as dependencies belong to the active phase.
  private(set) var declared: [(Declaration, ProviderKind)] = []
  /// The runs of each, in the order of their starts.
  private(set) var runs: [String: [Run]] = [:]
  /// The actions of workers and users, in the order of time.
  ///
  /// Instants count from the opening.
  private(set) var events: [(at: Instant, event: Event)] = []
  /// The initializers that didn't run to completion, and whose duration is the usual one here.
  private(set) var usual: [String] = []
  /// The initializers that didn't run to completion, and whose duration isn't known.
  private(set) var unknown: [String] = []
  /// The initializers that end at a moment, rather than after a duration.
  private(set) var moments: Set<String> = []
  /// The initializers whose CPU time would matter, and isn't known.
  private(set) var uncounted: Set<String> = []

  private let recorded: Forecaster
  private let needs: Workload.Needs
  private let whatIf: WhatIf
  private let isUnchanged: Bool
  /// The nodes of each initializer that started.
  private let nodes: [String: [Int]]
  private let known: [String: Initializer]

  /// Creates the input from the recorded pass, with the changes of `whatIf`.
  init(_ recorded: Forecaster, _ needs: Workload.Needs, _ whatIf: WhatIf) {
    self.recorded = recorded
    self.needs = needs
    self.whatIf = whatIf
    let graph = recorded.graph
    let pass = recorded.timeline.pass
    isUnchanged = whatIf.isUnchanged(from: pass)
    // The initializer that the pass waited for at its end may not have started.
    let indices = graph.nodes.indices.filter { graph.nodes[$0].start != nil || !recorded.isStart }
    nodes = Dictionary(grouping: indices) { graph.nodes[$0].name }
    known = Dictionary(recorded.initializers.map { ($0.name, $0) }) { first, _ in first }
    var isListed = Set(recorded.initializers.map(\.name))
    let names = recorded.initializers.map(\.name) + graph.nodes.map(\.name).filter { isListed.insert($0).inserted }
    for name in names where !whatIf.without.contains(name) { add(name) }
    if let activation = recorded.activation { events.append((.seconds(activation), .activated(hold: nil))) }
    events.sort { $0.at < $1.at }
  }

  private mutating func add(_ name: String) {
    let roles = recorded.phases.compactMap { role(of: name, in: $0) }
    guard let last = roles.last else { return }
    var isListed: Set<String> = []
    let waitedFor = roles.flatMap(\.dependencies).filter { isListed.insert($0).inserted }
    let after = waitedFor.filter { known[name]?.after?.contains($0) == true }
    let pauses = roles.reduce(0) { $0 + $1.attempts - 1 }
    let pause = pauses > 0 ? Duration.seconds(roles.reduce(0) { $0 + $1.backoff } / Double(pauses)) : .zero
    let attempts = roles.reduce(1) { max($0, $1.attempts) }
    var declaration = Declaration(
      name, priority: priority(of: name), dependencies: waitedFor.filter { !after.contains($0) },
      retry: RetryPolicy(attempts: attempts, delay: pause, factor: 1, maxDelay: pause), isOptional: last.isOptional,
      group: group(of: name))
    declaration.after = after
    let isKnownToWait = nodes[name] == nil && known[name]?.takesSlot == false
    declared.append((declaration, isKnownToWait ? .waitFor : roles[0].provider))
    runs[name] = roles.flatMap(\.runs)
  }

  /// Returns the group in which an initializer had a place, or would have one now.
  private func group(of name: String) -> String? {
    let runs = (nodes[name] ?? []).flatMap { recorded.graph.nodes[$0].runs }
    return runs.isEmpty ? known[name]?.group : runs.lazy.compactMap(\.group).first
  }

  private func priority(of name: String) -> Priority {
    let priority = known[name]?.priority.known
    if recorded.timeline.joint != nil { return priority ?? .appLaunch }
    return priority == nil || priority == recorded.timeline.pass.phase.known?.priority ? .appLaunch : .appActive
  }

  private mutating func role(of name: String, in phase: Phase?) -> Role? {
    let own = (nodes[name] ?? []).filter { recorded.graph.nodes[$0].phase == phase }
    let last = own.last.map { recorded.graph.nodes[$0] }
    guard recorded.isStart, last.map(isUnfinished) ?? true else {
      return last.map { role($0, own) }
    }
    guard last != nil || recorded.unstarted(name, in: phase) != nil else { return nil }
    return usualRole(of: name, in: phase, own)
  }

  /// Returns whether a start would continue at a node where the pass didn't: the initializer didn't complete, and its failure isn't
  /// ignored.
  private func isUnfinished(_ node: ExecutedNode) -> Bool {
    let error = recorded.timeline.pass.error?.initializer
    switch node.runs.last?.outcome?.known {
    case .complete: return false
    case .failed: return node.name == error || known[node.name]?.optional != true
    case .cancelled, nil: return true
    }
  }

  // MARK: As recorded

  private mutating func role(_ last: ExecutedNode, _ own: [Int]) -> Role {
    let all = own.map { recorded.graph.nodes[$0] }
    var role = Role(dependencies: dependencies(of: last.name, last.waitedFor, last.phase, own.last))
    role.attempts = last.runs.count + (last.isPaused ? 1 : 0)
    role.backoff = role.attempts > 1 ? last.backoff : 0
    role.isOptional =
      last.runs.last?.outcome?.known == .failed && recorded.timeline.pass.error?.initializer != last.name
    role.provider = register(all)
    for node in all { role.runs += runs(of: node) }
    return role
  }

  /// Returns the dependencies that the initializer still has.
  private func dependencies(of name: String, _ all: [String], _ phase: Phase?, _ index: Int?) -> [String] {
    all.filter { dependency in
      guard !whatIf.without.contains(dependency),
        !whatIf.withoutDependencies.contains(WhatIf.Dependency(of: name, on: dependency))
      else { return false }
      let last = nodes[dependency]?.last { recorded.graph.nodes[$0].phase == phase }
      // A dependency that ran again later would depend on itself.
      if let last, let index { return last < index }
      return last != nil || recorded.isStart && recorded.unstarted(dependency, in: phase) != nil
    }
  }

  /// Records when workers register a name, and remove it before it runs again.
  ///
  /// Returns the kind of its provider.
  private mutating func register(_ nodes: [ExecutedNode]) -> ProviderKind {
    guard let start = nodes[0].start else { return .worker }
    let opened = recorded.graph.opened
    let first = max(0, (start.provided ?? 0) - opened)
    let name = nodes[0].name
    if start.waits == true, nodes.count == 1 { return .waitFor }
    guard first > 0 || nodes.count > 1 else { return .command }
    events.append((.seconds(first), .workerRegistered(WorkerID(events.count), process: nil, [Registration(name)])))
    for (earlier, later) in zip(nodes, nodes.dropFirst()) {
      let worker = events.count - 1
      let removed = Duration.seconds(earlier.ended - opened)
      let provided = Duration.seconds((later.start?.provided ?? later.started) - opened)
      events.append((removed, .workerUnregistered(by: WorkerID(worker), [name])))
      events.append(
        (max(removed, provided), .workerRegistered(WorkerID(worker + 2), process: nil, [Registration(name)])))
    }
    return .worker
  }

  /// Returns the runs of a node, with the changes.
  ///
  /// A run that has no outcome yet succeeds now.
  private mutating func runs(of node: ExecutedNode) -> [Run] {
    let name = node.name
    let factor = whatIf.factor(of: name, running: node.running)
    var runs = node.runs.map { shape in
      let duration = shape.duration ?? max(0, node.ended - shape.started)
      let isFailure = shape.outcome?.known == .failed
      var run = Run(
        duration: .seconds(duration * factor), result: isFailure ? .failure(shape.cause ?? .workerLost) : .success,
        wasCancelled: shape.outcome?.known == .cancelled)
      guard !isUnchanged, whatIf.durations[name] == nil else { return run }
      if let moment = moment(of: shape, in: node) {
        run.moment = .seconds(moment.at - recorded.graph.opened)
        run.duration = .seconds(moment.least)
        moments.insert(name)
      } else if let demand = needs.demands[shape.run] {
        run.demand = Demand(
          computing: demand.computing * factor, waiting: demand.waiting * factor, threads: demand.threads,
          drag: demand.drag)
      } else if shape.cpu == nil {
        uncounted.insert(name)
      }
      run.cpu = (shape.cpu ?? 0) * factor
      return run
    }
    if node.isPaused { runs.append(Run(duration: .zero, result: .success)) }
    if node.running <= 0, let duration = whatIf.durations[name], let last = runs.last {
      runs[runs.count - 1] = Run(
        duration: .seconds(duration), result: last.result, wasCancelled: last.wasCancelled)
    }
    return runs
  }

  /// Returns when a run ended that waited for something to come up, and its minimum duration; nil for any other run.
  ///
  /// A polling loop counts only if it has waited at least once; otherwise its condition held before it started, and nothing shows since
  /// when.
  private func moment(of run: Pass.Run, in node: ExecutedNode) -> (at: Double, least: Double)? {
    guard whatIf.speedups[node.name] == nil, run.outcome?.known == .complete, let duration = run.duration else {
      return nil
    }
    let cpu = min(run.cpu ?? 0, duration)
    if whatIf.moments.contains(node.name) { return (run.started + duration, cpu) }
    guard let pause = run.polls, pause > 0, duration >= pause else { return nil }
    // Each try uses its part of the CPU time.
    return (run.started + duration, min(duration, cpu * pause / duration))
  }

  // MARK: By usual durations

  private mutating func usualRole(of name: String, in phase: Phase?, _ own: [Int]) -> Role {
    let last = own.last.map { recorded.graph.nodes[$0] }
    let waitedFor = last?.waitedFor ?? recorded.unstarted(name, in: phase)?.dependencies ?? []
    var role = Role(dependencies: dependencies(of: name, waitedFor, phase, own.last))
    role.isOptional = known[name]?.optional ?? false
    var run = Run(duration: .zero, result: .success)
    let usual = recorded.usual(name, in: phase)
    if let duration = whatIf.durations[name] {
      run.duration = .seconds(duration)
    } else {
      // Without a usual duration, the initializer takes at least as long as it ran.
      let running = usual?.running ?? last?.running ?? 0
      run.duration = .seconds(running / (whatIf.speedups[name] ?? 1))
      if usual == nil { unknown.append(name) } else { self.usual.append(name) }
      if usual != nil, usual?.cpu == nil { uncounted.insert(name) }
      run.cpu = (usual?.cpu ?? 0) / (whatIf.speedups[name] ?? 1)
      if needs.sharing != nil, run.cpu > 0 { run.demand = Demand(running: run.duration, cpu: run.cpu) }
    }
    role.runs = [run]
    return role
  }
}

extension Demand {
  /// Creates the needs of a run that took that long on cores of its own.
  fileprivate init(running: Duration, cpu: Double) {
    let running = running.inSeconds
    let threads = Demand.threads(cpu: cpu, in: running)
    let computing = min(cpu / Double(threads), running)
    self.init(computing: computing, waiting: running - computing, threads: threads)
  }
}

extension ExecutedNode {
  /// The pause after its last run, if the pass ended in it, or hasn't ended.
  fileprivate var isPaused: Bool { runs.last?.leavesAttempts == true && ended - started - running > pauses + 0.001 }

  private var pauses: Double {
    zip(runs, runs.dropFirst()).reduce(0) { $0 + max(0, $1.1.started - $1.0.started - ($1.0.duration ?? 0)) }
  }
}
