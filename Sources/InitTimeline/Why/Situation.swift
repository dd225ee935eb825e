package import InitModel
internal import InitText
package import InitWords

/// A Status, prepared for questions about its initializers and phases.
package struct Situation: Sendable {
  package let status: Status
  /// The present, in seconds since the Unix epoch.
  package let now: Double
  /// The index of each initializer in the Status, by its name.
  private let indexes: [String: Int]
  private let usual: [Phase: Double]
  private let usualRuns: [Phase: [String: Double]]
  /// The indexes of the initializers that the launch pass in flight needs.
  private let launched: Set<Int>
  /// The initializers that occupy the places of a phase: they run, stop, or are between two attempts.
  private let occupying: [Phase: [String]]
  /// See ``holders(in:)``.
  private let heldBy: [String: String]

  /// Describes a Status at a moment.
  ///
  /// `usual` are the usual durations of the phases and initializers, if they are known.
  package init(_ status: Status, usual: [Usual] = [], now: Double? = nil) {
    self.status = status
    self.now = now ?? status.time
    indexes = Dictionary(status.initializers.enumerated().map { ($1.name, $0) }) { first, _ in first }
    let known = usual.compactMap { each in each.phase.known.map { ($0, each) } }
    self.usual = Dictionary(known.map { ($0, $1.duration) }) { first, _ in first }
    usualRuns = Dictionary(
      known.map { phase, each in
        (phase, Dictionary(each.initializers.map { ($0.name, $0.running) }) { first, _ in first })
      }
    ) { first, _ in first }
    launched = status.launch.state == .pending && status.launch.pass != nil ? status.members(of: .launch) : []
    var occupying: [Phase: [String]] = [:]
    let all = status.initializers.span
    for index in all.indices where all[index].isInFlight || all[index].isBetweenAttempts {
      if let phase = all[index].phase?.known { occupying[phase, default: []].append(all[index].name) }
    }
    self.occupying = occupying
    heldBy = status.launch.state == .pending ? Self.holders(in: status) : [:]
  }

  /// Returns the initializer with this name; nil if it isn't declared.
  package func initializer(_ name: String) -> Initializer? { indexes[name].map { status.initializers[$0] } }

  /// Returns the position of a name in the Status; nil if it isn't declared.
  func index(_ name: String) -> Int? { indexes[name] }

  package func state(of phase: Phase) -> Status.State {
    switch phase {
    case .launch: status.launch
    case .active: status.active
    }
  }

  /// Returns the phase of an initializer's last run, or else the phase that it waits for.
  package func phase(of each: Initializer) -> Phase? {
    if let phase = each.phase { return phase.known }
    if let index = indexes[each.name], launched.contains(index) { return .launch }
    return each.priority.known.flatMap { priority in Phase.allCases.first { $0.priority == priority } }
  }

  /// Returns how long an initializer usually runs.
  package func usual(_ each: Initializer) -> Double? { phase(of: each).flatMap { usualRuns[$0]?[each.name] } }

  /// Returns how long a phase usually takes.
  func usual(_ phase: Phase) -> Double? { usual[phase] }

  /// Returns the names of an initializer's dependencies that haven't completed, or aren't declared.
  ///
  /// If all have completed, an initializer of launch may still wait for something above them that runs again (S30).
  package func openDependencies(of each: Initializer) -> [String] {
    let open = each.dependencies.filter(isOpen)
    guard open.isEmpty, each.status == .waiting, !each.isBetweenAttempts, phase(of: each) == .launch else {
      return open
    }
    return holder(above: each).flatMap { initializer($0)?.again == nil ? nil : [$0] } ?? []
  }

  /// Returns an initializer of launch that isn't over, and above which all are complete down to this one.
  func holder(above each: Initializer) -> String? { each.dependencies.lazy.compactMap { heldBy[$0] }.first }

  /// Returns an initializer for each completed one below it that may not be complete for its dependents because of it (S30).
  ///
  /// It runs again, or its turn is still to come; one that an earlier supervisor has run precedes.
  private static func holders(in status: Status) -> [String: String] {
    let open = status.initializers.filter { $0.priority == .appLaunch && ($0.isInFlight || $0.status == .waiting) }
    let holders = open.filter { $0.again == nil } + open.filter { $0.again != nil }
    guard !holders.isEmpty else { return [:] }
    var dependents: [String: [Initializer]] = [:]
    for each in status.initializers where each.isSatisfied {
      for name in each.dependencies { dependents[name, default: []].append(each) }
    }
    var found: [String: String] = [:]
    var next = holders.map { ($0.name, $0.name) }
    while let (name, holder) = next.popLast() {
      for each in dependents[name] ?? [] where found[each.name] == nil {
        found[each.name] = holder
        next.append((each.name, holder))
      }
    }
    return found
  }

  /// Whether a dependency hasn't completed, or isn't declared.
  private func isOpen(_ name: String) -> Bool {
    indexes[name].map { !status.initializers[$0].isSatisfied } ?? true
  }

  /// Returns the names of the initializers that occupy the places of a phase.
  func occupying(_ phase: Phase) -> [String] { occupying[phase] ?? [] }

  /// Returns whether the newest pass of a phase runs, or waits until it can.
  ///
  /// After a cancelled pass, its phase is also pending (S11).
  package func isInFlight(_ phase: Phase) -> Bool {
    guard let pass = state(of: phase).pass, state(of: phase).state == .pending else { return false }
    // A supervisor that doesn't report them had no such passes to distinguish.
    return status.inFlight?.contains { $0.pass == pass } ?? true
  }

  /// Returns when a pass in flight could begin, or, if the Status doesn't contain that, when it has started its first run.
  package func start(of phase: Phase) -> Double? {
    guard let pass = state(of: phase).pass, isInFlight(phase) else { return nil }
    return status.inFlight?.first { $0.pass == pass }?.opened
      ?? status.initializers.lazy.filter { $0.pass == pass }.compactMap { $0.firstStarted ?? $0.started }.min()
  }

  /// Returns the indexes of the initializers of a phase.
  ///
  /// For launch in flight, the result includes the dependencies of its initializers.
  package func members(of phase: Phase) -> [Int] {
    if phase == .launch, !launched.isEmpty { return launched.sorted() }
    return status.initializers.indices.filter { status.initializers[$0].priority.known == phase.priority }
  }

  /// Returns how many initializers a phase in flight has completed, and of how many.
  func tally(of phase: Phase) -> (done: Int, total: Int) {
    switch phase {
    case .launch:
      let done = launched.count { status.initializers[$0].isSatisfied }
      return (done, launched.count)
    case .active:
      let all = status.initializers.filter { $0.priority == .appActive }
      return (
        all.count { $0.status == .complete && $0.pass == status.active.pass || $0.status == .skipped }, all.count
      )
    }
  }

  /// Returns the initializers that a phase in flight itself waits for: they failed first, run, will be retried, or have no provider or
  /// declaration.
  ///
  /// Optional ones that failed come last, unless others couldn't run because of them. If nothing else is found, the initializers that wait
  /// for their turn are added.
  func frontier(of phase: Phase) -> [String] {
    let members = status.initializers.filter { self.phase(of: $0) == phase }
    let busy = occupying(phase)
    let isStopping = busy.contains { initializer($0)?.status.known == .stopping }
    // A pass in flight that continues after a failure keeps going to its end, or goes on without an optional initializer.
    let failed = members.filter { $0.status == .failed && $0.pass == state(of: phase).pass }
    let blocking = Set(members.lazy.filter { $0.status == .notRun && $0.optional != true }.compactMap(\.blockedBy))
    let isFatal = { (each: Initializer) in isStopping || each.optional != true || blocking.contains(each.name) }
    let waiting = members.filter { $0.status == .waiting && !$0.isBetweenAttempts }
    let missing = waiting.filter { each in
      each.dependencies.contains { initializer($0) == nil }
        || !each.available && !each.dependencies.contains(where: isOpen)
    }
    let found = failed.filter(isFatal).map(\.name) + busy + missing.map(\.name)
    let stopped = phase == .launch ? Set(heldBackProcesses).subtracting(found) : []
    let next =
      found.isEmpty && stopped.isEmpty
      ? waiting.filter { !$0.dependencies.contains(where: isOpen) }.map(\.name) : found + stopped.sorted()
    return next + failed.filter { !isFatal($0) }.map(\.name)
  }

  /// The names of the processes with `ready` that somebody has stopped, or that are unhealthy.
  private var heldBackProcesses: [String] {
    let processes = (status.processes ?? []).filter { process in
      guard process.stoppedBy != nil || process.unhealthy == true, let each = initializer(process.name) else {
        return false
      }
      return process.skipped == nil && each.skipped == nil && (process.external != true || !each.isSatisfied)
    }
    return processes.map(\.name)
  }

  /// The names of the unhealthy processes that are no initializers.
  var unhealthyOthers: [String] {
    (status.processes ?? []).filter { $0.unhealthy == true && initializer($0.name) == nil }.map(\.name)
  }

  /// Whether an initializer belongs to the active phase; without one, the app is ready without an activation (S1).
  var hasActivePhase: Bool { status.initializers.contains { $0.priority == .appActive } }

  /// Whether only an activation can bring what a wait waits for.
  package func needsActivation(for target: WaitTarget) -> Bool {
    // After a failure, the wait is over.
    guard status.lifecycle == .inactive, status.composite.state != .failed else { return false }
    switch target {
    case .state(.ready): return hasActivePhase
    case .state(.composite), .state(.active): return status.active.state == .pending
    case .state(.launch), .pass: return false
    case .initializer(let name):
      guard let index = indexes[name], !launched.contains(index) else { return false }
      let each = status.initializers[index]
      return each.priority.known == .appActive && !each.isSatisfied
    }
  }

  /// Returns the declared name that is most similar to an unknown one.
  func nearest(to name: String) -> String? { Suggestion.nearest(to: name, among: status.initializers.map(\.name)) }
}

extension Initializer {
  /// Whether a run of it takes a place of the concurrency; not if it only waits (S6).
  package var takesSlot: Bool { provider.known?.takesSlot ?? true }

  /// Whether a run of it is in flight.
  package var isInFlight: Bool { status == .running || status == .stopping }
  /// Whether the initializer's dependents may continue: it has completed, or was skipped.
  package var isSatisfied: Bool { status == .complete || status == .skipped }
  /// Whether the initializer waits for its next attempt.
  package var isBetweenAttempts: Bool { status == .waiting && nextAttempt != nil }
  /// Whether no worker provides it now.
  var hasNoWorker: Bool { provider == .worker && !available }
  /// Whether a worker has run it, and has disconnected since.
  package var hasLostWorker: Bool { provider == .worker && !available && run != nil }
  /// When the initializer's last run ended, in seconds since the Unix epoch.
  package var ended: Double? { duration.flatMap { duration in started.map { $0 + duration } } }
}
