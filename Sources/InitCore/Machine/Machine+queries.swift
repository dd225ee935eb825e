import OrderedCollections

/// What can be read off a machine: the whole of it is public through these.
extension Machine {
  /// The states of this moment (S1).
  public var states: StateRecord {
    StateRecord(
      launch: .init(state: launch.state, pass: launch.number), active: .init(state: active.state, pass: active.number),
      lifecycle: lifecycle)
  }

  /// How many connections keep the app active (S23).
  public var holdCount: Int { holds.count }

  /// Whether it is coming to its end, or has (S24).
  public var isEnding: Bool { isShuttingDown }

  /// All initializers, in the order of registration.
  public var initializers: [InitializerSnapshot] { registry.values.map(snapshot(of:)) }

  /// How many initializers are known.
  public var initializerCount: Int { registry.count }

  /// How many bytes the names and dependencies of all initializers have, with what stands around them in a message.
  public var sizeOfDeclarations: Int { declaredBytes }

  /// One initializer; `nil` if nobody declared the name.
  public func initializer(named name: String) -> InitializerSnapshot? { registry[name].map(snapshot(of:)) }

  /// The names that a connected worker provides, in the order of registration.
  public func names(providedBy worker: WorkerID) -> [String] {
    let names = provided[worker] ?? []
    return names.sorted { (registry.index(forKey: $0) ?? 0) < (registry.index(forKey: $1) ?? 0) }
  }

  /// Whether that connected worker provides the name.
  public func isProvided(_ name: String, by worker: WorkerID) -> Bool { provided[worker]?.contains(name) == true }

  /// What `deactivated` would cancel: what runs in the active pass, or is between two attempts, in the order it started.
  public var cancellable: [String] {
    guard let pass = active.pass, pass.stage != .cancelling else { return [] }
    let running = runs.filter { _, run in
      run.pass == pass.number && (run.state == .running || run.state == .stopping(.timeout))
    }
    return running.sorted { $0.key < $1.key }.map(\.value.initializer) + pass.delayed.sorted()
  }

  /// Whether a run of an active pass was told to stop and hasn't (S13).
  public var isActiveStopping: Bool {
    runs.values.contains { run in
      guard run.phase == .active else { return false }
      return run.state != .running
    }
  }

  /// How far the newest pass of each phase is, and what runs.
  public var progress: Progress {
    let (launch, active) = (self.launch.tally, self.active.tally)
    let running = runs.isEmpty ? [] : runs.filter { $0.value.state == .running }.sorted { $0.key < $1.key }
    return Progress(
      done: launch.done + active.done, total: launch.total + active.total,
      running: running.map { .init(initializer: $1.initializer, progress: registry[$1.initializer]?.run?.progress) })
  }

  /// Whether that run is in flight.
  public func isInFlight(run: Int) -> Bool { runs[run] != nil }

  /// Which initializer a run in flight is of.
  public func initializer(ofRun run: Int) -> String? { runs[run]?.initializer }

  /// Why a run in flight was told to stop; `nil` if it wasn't, or isn't in flight.
  public func stopReason(of run: Int) -> CancelReason? {
    guard case .stopping(let reason) = runs[run]?.state else { return nil }
    return reason
  }

  /// What is known of a pass.
  public enum PassKnowledge: Hashable, Sendable {
    /// The number was never given, or is forgotten.
    case unknown
    /// It is waiting, running or stopping.
    case underWay
    /// It has ended.
    case ended(PassStatus)
  }

  /// What is known of the pass with this number (S10). One that was cancelled before it could start has ended.
  public func pass(numbered number: Int) -> PassKnowledge {
    if let outcome = ended[number] { return .ended(outcome) }
    for phase in Phase.allCases {
      if self[phase].abandoned.contains(number) { return .ended(.cancelled) }
      if self[phase].pass?.number == number || self[phase].next == number { return .underWay }
    }
    return .unknown
  }

  /// How an initializer's last turn went, for those who wait for it.
  public enum InitializerOutcome: Hashable, Sendable {
    /// It completed.
    case complete
    /// It failed, or its pass did before it came to it.
    case failed(Failure)
    /// It was told to stop.
    case cancelled
  }

  /// The last outcome of an initializer; `nil` while it has none, or has a turn to come.
  public func outcome(of name: String) -> InitializerOutcome? {
    guard let entry = registry[name] else { return nil }
    switch (status(of: entry), entry.outcome) {
    case (.complete, _): return .complete
    case (.cancelled, _): return .cancelled
    case (.failed, .failed(let failure)), (.notRun, .notRun(_, let failure)): return .failed(failure)
    default: return nil
    }
  }

  func status(of entry: Entry) -> InitializerStatus {
    if let number = entry.inFlight, let run = runs[number] { return run.state == .running ? .running : .stopping }
    let name = entry.declaration.name
    if Phase.allCases.contains(where: { self[$0].pass?.isWaiting(for: name) == true }) { return .waiting }
    return status(of: entry.outcome)
  }

  private func status(of outcome: Entry.Outcome) -> InitializerStatus {
    switch outcome {
    case .idle: .idle
    case .complete: .complete
    case .failed: .failed
    case .cancelled: .cancelled
    case .notRun: .notRun
    }
  }

  func snapshot(of entry: Entry) -> InitializerSnapshot { snapshot(of: entry, as: status(of: entry)) }

  private func snapshot(of entry: Entry, as status: InitializerStatus) -> InitializerSnapshot {
    var snapshot = InitializerSnapshot(
      declaration: entry.declaration, provider: entry.kind, isAvailable: entry.provider != nil, status: status,
      run: entry.run)
    switch entry.outcome {
    case .failed(let failure) where status == .failed || (status == .waiting && isBetweenAttempts(entry)):
      snapshot.failure = failure
    case .notRun(let name, let failure) where status == .notRun:
      snapshot.blockedBy = name
      snapshot.failure = failure
    default: break
    }
    return snapshot
  }

  /// Between two attempts, what is shown is why the last one failed.
  private func isBetweenAttempts(_ entry: Entry) -> Bool {
    Phase.allCases.contains { self[$0].pass?.isBetweenAttempts(of: entry.declaration.name) == true }
  }

  /// Tells observers how a run has ended, also where the next pass waits for its initializer already; what is shown from then on is that
  /// pass's.
  mutating func tellEnd(of name: String) {
    guard let entry = registry[name] else { return }
    guard status(of: entry) == .waiting else { return touch(name) }
    let ended = snapshot(of: entry, as: status(of: entry.outcome))
    change(name) { entry in
      entry.run = nil
      entry.shown = ended
    }
    effects.append(.publish(.initializer(ended)))
    touch(name)
  }

  /// Tells observers of an initializer, if what is to be seen of it has changed.
  mutating func touch(_ name: String) {
    guard let entry = registry[name] else { return }
    let snapshot = snapshot(of: entry)
    guard snapshot != entry.shown else { return }
    change(name) { $0.shown = snapshot }
    effects.append(.publish(.initializer(snapshot)))
  }
}
