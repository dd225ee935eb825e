import OrderedCollections

/// Queries: the public view of the machine's state.
extension Machine {
  /// The current states (S1).
  public var states: StateRecord {
    StateRecord(
      launch: .init(state: launch.state, pass: launch.number), active: .init(state: active.state, pass: active.number),
      lifecycle: lifecycle)
  }

  /// How many connections keep the app active (S23).
  public var holdCount: Int { holds.count }
  /// Whether this hold holds the app active (S23).
  public func isHeld(by hold: HoldID) -> Bool { holds.contains(hold) }

  /// Whether it is shutting down, or has shut down (S24).
  public var isEnding: Bool { isShuttingDown }

  /// All initializers, in the order of registration.
  public var initializers: [InitializerSnapshot] { registry.entries.indices.map(snapshot(of:)) }

  /// How many initializers are known.
  public var initializerCount: Int { registry.count }

  /// The values of the declared initializers by their numbers, which the effects contain. Of several with the same name, the first has one.
  ///
  /// - Parameters:
  ///   - values: one for each name.
  ///   - names: the names with which the machine was created.
  public func numbered<Value>(_ values: [Value], of names: some Sequence<String>) -> [Value] {
    guard registry.count < values.count else { return values }
    var known: Set<String> = []
    return zip(values, names).filter { known.insert($1).inserted }.map(\.0)
  }

  /// How many bytes the names and dependencies of all initializers take in a message, with quotes and commas.
  public var sizeOfDeclarations: Int { declaredBytes }

  /// One initializer; `nil` if the name isn't declared.
  public func initializer(named name: String) -> InitializerSnapshot? { registry.number(of: name).map(snapshot(of:)) }

  /// The names that a connected worker provides, in the order of registration.
  public func names(providedBy worker: WorkerID) -> [String] {
    let names = provided[worker] ?? []
    return names.sorted { (registry.number(of: $0) ?? 0) < (registry.number(of: $1) ?? 0) }
  }

  /// Whether that connected worker provides the name.
  public func isProvided(_ name: String, by worker: WorkerID) -> Bool { provided[worker]?.contains(name) == true }

  /// The initializers that `deactivated` would cancel: those that run in the active pass or are between two attempts, in the order they
  /// started.
  public var cancellable: [String] {
    guard let pass = active.pass, pass.stage != .cancelling else { return [] }
    let running = runs.filter { _, run in
      run.pass == pass.number && (run.state == .running || run.state == .stopping(.timeout))
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
    let (launch, active) = (self.launch.tally, self.active.tally)
    // Called in each step: it copies no run as a whole.
    let running = runs.keys.sorted().compactMap { number -> Progress.Running? in
      guard runs[number]?.state == .running, let name = runs[number]?.initializer else { return nil }
      return Progress.Running(initializer: name, progress: registry[name]?.run?.progress)
    }
    return Progress(done: launch.done + active.done, total: launch.total + active.total, running: running)
  }

  /// The runs of a pass in flight that are in flight, in the order of their starts.
  public func runsInFlight(ofPass pass: Int, at now: Instant) -> [RunRecord] {
    runs.filter { $0.value.pass == pass }.sorted { $0.key < $1.key }.map { RunRecord($1, $0, at: now) }
  }

  /// The initializer of a run in flight.
  public func initializer(ofRun run: Int) -> String? { runs[run]?.initializer }

  /// The initializer and the phase of a run in flight, unless it was asked to stop.
  public func running(_ run: Int) -> (initializer: String, phase: Phase)? {
    runs[run].flatMap { $0.state == .running ? ($0.initializer, $0.phase) : nil }
  }

  /// Why a run in flight was asked to stop; `nil` if it wasn't, or isn't in flight.
  public func stopReason(of run: Int) -> CancelReason? {
    guard case .stopping(let reason) = runs[run]?.state else { return nil }
    return reason
  }

  /// What is known about a pass.
  public enum PassKnowledge: Hashable, Sendable {
    /// No pass has this number, or it is no longer remembered.
    case unknown
    /// It is waiting, running or stopping.
    case underWay
    /// It has ended.
    case ended(PassStatus)
  }

  /// The pass with this number (S10). One that was cancelled before it could start has ended.
  public func pass(numbered number: Int) -> PassKnowledge {
    if let outcome = ended[number] { return .ended(outcome) }
    for phase in Phase.allCases {
      if self[phase].abandoned.contains(number) { return .ended(.cancelled) }
      if self[phase].pass?.number == number || self[phase].next == number { return .underWay }
    }
    return .unknown
  }

  /// The outcome of an initializer's last turn, for waits.
  public enum InitializerOutcome: Hashable, Sendable {
    /// It completed.
    case complete
    /// It failed, or its pass failed before its turn.
    case failed(Failure)
    /// It was asked to stop.
    case cancelled
  }

  /// The last outcome of an initializer; `nil` if it has none, or waits for another run.
  public func outcome(of name: String) -> InitializerOutcome? {
    guard let number = registry.number(of: name) else { return nil }
    switch (status(of: number), registry.entries[number].outcome) {
    case (.complete, _): return .complete
    case (.cancelled, _): return .cancelled
    case (.failed, .failed(let failure)), (.notRun, .notRun(_, let failure)): return .failed(failure)
    default: return nil
    }
  }

  func status(of number: Int) -> InitializerStatus {
    if let run = registry.entries[number].inFlight, let state = runs[run]?.state {
      return state == .running ? .running : .stopping
    }
    return isAwaited(number) ? .waiting : registry.entries[number].outcome.status
  }

  /// Whether the initializer's turn in a pass is still to come.
  private func isAwaited(_ number: Int) -> Bool {
    let name = registry.names[number]
    return launch.pass?.isWaiting(for: name, number: number) == true
      || active.pass?.isWaiting(for: name, number: number) == true
  }

  func snapshot(of number: Int) -> InitializerSnapshot { snapshot(of: number, as: status(of: number)) }

  private func snapshot(of number: Int, as status: InitializerStatus) -> InitializerSnapshot {
    let declaration = registry.entries[number].declaration
    var snapshot = InitializerSnapshot(
      declaration: declaration, provider: registry.entries[number].kind,
      isAvailable: registry.entries[number].provider != nil, status: status,
      run: registry.entries[number].run, nextAttempt: status == .waiting ? nextAttempt(of: declaration.name) : nil)
    switch registry.entries[number].outcome {
    case .failed(let failure) where status == .failed || (status == .waiting && isBetweenAttempts(number)):
      snapshot.failure = failure
    case .notRun(let name, let failure) where status == .notRun:
      snapshot.blockedBy = name
      snapshot.failure = failure
    case .cancelled(let name) where status == .cancelled: snapshot.blockedBy = name
    default: break
    }
    if status == .stopping, let run = registry.entries[number].inFlight.flatMap({ runs[$0] }) {
      snapshot.blockedBy = cancellation(of: run).culprit
    }
    return snapshot
  }

  private func nextAttempt(of name: String) -> Instant? {
    if launch.pass?.delayed.contains(name) == true { return deadlines[.retry(.launch, name)] }
    return active.pass?.delayed.contains(name) == true ? deadlines[.retry(.active, name)] : nil
  }

  /// Between two attempts, the error of the last attempt is shown.
  private func isBetweenAttempts(_ number: Int) -> Bool {
    Phase.allCases.contains { self[$0].pass?.isBetweenAttempts(of: registry.names[number], number: number) == true }
  }

  /// Notifies observers how a run has ended, even if the next pass already waits for its initializer; after that, the next pass's status is
  /// shown.
  mutating func tellEnd(of number: Int) {
    let run = registry.entries[number].inFlight
    guard run.map({ runs[$0] == nil }) ?? true, isAwaited(number) else { return touch(number) }
    if configuration.publishesInitializers {
      publish(snapshot(of: number, as: registry.entries[number].outcome.status), of: number)
    }
    registry.entries[number].run = nil
    touch(number)
  }

  /// Notifies observers of an initializer if its visible state has changed.
  mutating func touch(_ number: Int) {
    guard configuration.publishesInitializers else { return }
    let snapshot = snapshot(of: number)
    if snapshot != registry.entries[number].shown?.value { publish(snapshot, of: number) }
  }

  mutating func touch(_ name: String) {
    guard configuration.publishesInitializers, let number = registry.number(of: name) else { return }
    touch(number)
  }

  private mutating func publish(_ snapshot: InitializerSnapshot, of number: Int) {
    registry.entries[number].shown = Box(snapshot)
    effects.append(.publish(.initializer(snapshot)))
  }
}
