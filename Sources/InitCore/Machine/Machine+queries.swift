public import InitWords
import OrderedCollections

/// Queries: the public view of the machine's state.
extension Machine {
  /// The current states (S1).
  public var states: StateRecord {
    StateRecord(
      launch: .init(state: launchState, pass: launch.newest), active: .init(state: active.state, pass: active.newest),
      lifecycle: lifecycle, hasActivePhase: tally.active > 0)
  }

  /// How many connections keep the app active (S23).
  public var holdCount: Int { holds.count }
  /// Returns whether this hold holds the app active (S23).
  public func isHeld(by hold: HoldID) -> Bool { holds.contains(hold) }

  /// Whether the machine is shutting down, or has shut down (S24).
  public var isEnding: Bool { isShuttingDown }

  /// Returns whether an active pass continues the activation of an earlier pass: it doesn't execute everything (S4, S19, S26).
  public func continuesActivation(_ pass: PassID) -> Bool { active.entry.map { $0 != pass } ?? false }

  /// All initializers, in the order of registration.
  public var initializers: [InitializerSnapshot] { registry.indexes.map { snapshot(of: $0) } }

  /// The names of all initializers, in the order of registration.
  public var initializerNames: [String] { registry.indexes.map { registry.name(at: $0) } }

  /// How many of each group may run at once (S33).
  public var placesOfGroups: [String: Int] { groups }

  /// Whether the answer to a question for a condition is awaited (S29).
  public func isAwaiting(check: Int) -> Bool { Phase.allCases.contains { self[$0].pass?.asked[check] != nil } }

  /// How many initializers are known.
  public var initializerCount: Int { registry.count }

  /// Returns the values of the declared initializers by their indexes, which the effects contain.
  ///
  /// If several have the same name, the first one counts.
  ///
  /// - Parameters:
  ///   - values: one value for each name.
  ///   - names: the names with which the machine was created.
  /// - Returns: one value for each index.
  public func indexed<Value>(_ values: [Value], of names: some Sequence<String>) -> [Value] {
    guard registry.count < values.count else { return values }
    var known: Set<String> = []
    return zip(values, names).filter { known.insert($1).inserted }.map(\.0)
  }

  /// How many bytes the names and dependencies of all initializers take in a message, with quotes and commas.
  public var sizeOfDeclarations: Int { tally.bytes }

  /// Returns one initializer; `nil` if the name isn't declared.
  public func initializer(named name: String) -> InitializerSnapshot? {
    registry.index(of: name).map { snapshot(of: $0) }
  }

  /// Returns what provides an initializer; `nil` if the name isn't declared.
  public func provider(of name: String) -> ProviderKind? { registry.index(of: name).map { registry[$0].kind } }

  /// Returns whether that connected worker provides the name.
  public func isProvided(_ name: String, by worker: WorkerID) -> Bool { provided[worker]?.contains(name) == true }

  /// The initializers that `deactivated` would cancel: those that run in the active pass or are between two attempts, in the order they
  /// started.
  public var cancellable: [String] {
    guard let pass = active.pass, pass.stage != .cancelling else { return [] }
    let running = runs.filter { _, run in
      run.pass == pass.id
        && (run.state == .running || run.state == .stopping(.timeout) || run.state == .stopping(.operator))
    }
    return running.sorted { $0.key < $1.key }.map(\.value.initializer) + pass.delayed.sorted()
  }

  /// Whether a run of an active pass was asked to stop, but hasn't stopped (S13).
  public var isActiveStopping: Bool {
    runs.values.contains { run in
      guard run.phase == .active else { return false }
      return run.state != .running
    }
  }

  /// The progress of the newest pass of each phase, and the running initializers.
  public var progress: Progress {
    let launch = self.launch.tally
    let active = self.active.tally
    // Called in each step: it copies no run as a whole.
    let running = runs.keys.sorted().compactMap { number -> Progress.Running? in
      guard runs[number]?.state == .running, let name = runs[number]?.initializer else { return nil }
      return Progress.Running(initializer: name, progress: registry[name]?.run?.progress)
    }
    return Progress(done: launch.done + active.done, total: launch.total + active.total, running: running)
  }

  /// The names of the initializers that have a run in flight, in the order of their starts.
  public var namesInFlight: [String] { runs.sorted { $0.key < $1.key }.map(\.value.initializer) }

  /// Returns the runs in flight of a pass in flight, in the order of their starts.
  public func runsInFlight(ofPass pass: PassID, at now: Instant) -> [RunRecord] {
    runs.filter { $0.value.pass == pass }.sorted { $0.key < $1.key }.map { RunRecord($1, $0, at: now) }
  }

  /// Returns the initializer of a run in flight.
  public func initializer(ofRun run: RunID) -> String? { runs[run]?.initializer }

  /// Returns the initializer and the phase of a run in flight, unless it was asked to stop.
  public func running(_ run: RunID) -> (initializer: String, phase: Phase)? {
    runs[run].flatMap { $0.state == .running ? ($0.initializer, $0.phase) : nil }
  }

  /// Returns why a run in flight was asked to stop; `nil` if it wasn't, or isn't in flight.
  public func stopReason(of run: RunID) -> CancelReason? {
    guard case .stopping(let reason) = runs[run]?.state else { return nil }
    return reason
  }

  /// Returns the user who cancelled a run in flight (S34); `nil` if nobody has.
  public func canceller(of run: RunID) -> String? { runs[run]?.cancelledBy }

  /// Returns the last progress message of a run in flight; `nil` if it has none.
  public func lastMessage(of run: RunID) -> String? { runs[run]?.lastMessage }

  /// The knowledge about a pass.
  public enum PassKnowledge: Hashable, Sendable {
    /// No pass has this number, or it is no longer remembered.
    case unknown
    /// Waiting, running or stopping.
    case underWay
    /// Ended.
    case ended(PassStatus)
  }

  /// Returns what is known about a pass (S10).
  ///
  /// A pass that was cancelled before it could start has ended.
  public func knowledge(of pass: PassID) -> PassKnowledge {
    if let outcome = ended[pass] { return .ended(outcome) }
    for phase in Phase.allCases {
      if self[phase].abandoned.contains(pass) { return .ended(.cancelled) }
      if self[phase].pass?.id == pass || self[phase].next == pass { return .underWay }
    }
    return .unknown
  }

  /// The outcome of an initializer's last turn, for waits.
  public enum InitializerOutcome: Hashable, Sendable {
    /// Completed.
    case complete
    /// Failed, or the initializer's pass failed before its turn.
    case failed(Failure)
    /// Asked to stop.
    case cancelled
  }

  /// Returns the last outcome of an initializer; `nil` if it has none, or waits for another run.
  public func outcome(of name: String) -> InitializerOutcome? {
    guard let index = registry.index(of: name) else { return nil }
    switch (status(of: index), registry[index].outcome) {
    case (.complete, _), (.skipped, _): return .complete
    case (.cancelled, _): return .cancelled
    case (.failed, .failed(let failure)), (.notRun, .notRun(_, let failure)): return .failed(failure)
    default: return nil
    }
  }

  func status(of index: InitializerIndex) -> InitializerStatus {
    if let run = registry[index].inFlight, let state = runs[run]?.state {
      return state == .running ? .running : .stopping
    }
    return isAwaited(index) ? .waiting : registry[index].outcome.status
  }

  /// Whether the initializer's turn in a pass is still to come.
  private func isAwaited(_ index: InitializerIndex) -> Bool {
    let name = registry.name(at: index)
    // Not by optional chaining, which copies the pass.
    return launch.hasPass && launch.pass!.isWaiting(for: name, index)
      || active.hasPass && active.pass!.isWaiting(for: name, index)
  }

  func snapshot(of index: InitializerIndex) -> InitializerSnapshot { snapshot(of: index, as: status(of: index)) }

  private func snapshot(of index: InitializerIndex, as status: InitializerStatus) -> InitializerSnapshot {
    let declaration = registry[index].declaration
    var snapshot = InitializerSnapshot.Attributes(
      declaration: declaration, provider: registry[index].kind,
      isAvailable: registry[index].provider != nil, status: status,
      isStale: registry[index].isStale && (status == .complete || isFresh(index, status)),
      run: registry[index].run, nextAttempt: status == .waiting ? nextAttempt(of: declaration.name) : nil)
    switch registry[index].outcome {
    case .failed(let failure) where status == .failed || (status == .waiting && isBetweenAttempts(index)):
      snapshot.failure = failure
      snapshot.isChanged = status == .failed && registry[index].isChanged
    case .notRun(let name, let failure) where status == .notRun:
      snapshot.blockedBy = name
      snapshot.failure = failure
    case .cancelled(let name) where status == .cancelled: snapshot.blockedBy = name
    case .skipped(let reason) where status == .skipped: snapshot.skipReason = reason
    case .idle where status == .idle && !registry[index].isSelected: snapshot.skipReason = .unselected
    default: break
    }
    if status == .stopping, let run = registry[index].inFlight.flatMap({ runs[$0] }) {
      snapshot.blockedBy = cancellation(of: run).culprit
    }
    return InitializerSnapshot(snapshot)
  }

  /// Returns whether the initializer was skipped as fresh, so it counts as complete with its output (S30).
  private func isFresh(_ index: InitializerIndex, _ status: InitializerStatus) -> Bool {
    status == .skipped && registry[index].outcome == .skipped(.fresh)
  }

  private func nextAttempt(of name: String) -> Instant? {
    if launch.pass?.delayed.contains(name) == true { return deadlines[.retry(.launch, name)] }
    return active.pass?.delayed.contains(name) == true ? deadlines[.retry(.active, name)] : nil
  }

  /// Returns whether an initializer is between two attempts.
  ///
  /// Then the error of its last attempt is shown.
  private func isBetweenAttempts(_ index: InitializerIndex) -> Bool {
    Phase.allCases.contains { self[$0].pass?.isBetweenAttempts(of: registry.name(at: index), index) == true }
  }

  /// Notifies observers how a run has ended, even if the next pass already waits for its initializer; after that, the next pass's status is
  /// shown.
  mutating func publishEnd(of index: InitializerIndex) {
    let run = registry[index].inFlight
    guard run.map({ runs[$0] == nil }) ?? true, isAwaited(index) else { return touch(index) }
    if configuration.publishesInitializers {
      publish(snapshot(of: index, as: registry[index].outcome.status), of: index)
    }
    registry[index].run = nil
    touch(index)
  }

  /// Notifies observers of an initializer if its visible state has changed.
  mutating func touch(_ index: InitializerIndex) {
    guard configuration.publishesInitializers else { return }
    let snapshot = snapshot(of: index)
    if !snapshot.looksLike(registry[index].shown) { publish(snapshot, of: index) }
  }

  mutating func touch(_ name: String) {
    guard configuration.publishesInitializers, let index = registry.index(of: name) else { return }
    touch(index)
  }

  private mutating func publish(_ snapshot: InitializerSnapshot, of index: InitializerIndex) {
    registry[index].shown = snapshot
    effects.append(.publish(.initializer(snapshot)))
  }
}
