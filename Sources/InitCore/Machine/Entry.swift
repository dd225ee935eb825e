internal import InitWords

/// The machine's record of one initializer, across passes.
struct Entry: Hashable, Sendable {
  /// The current provider; on the heap, because most initializers of a large graph are resident.
  indirect enum CurrentProvider: Hashable, Sendable {
    /// Part of the supervisor: a Swift object, or a command.
    case resident
    /// A connected worker, its process if the kernel reported it, and when it registered the name.
    case worker(WorkerID, process: Int32?, since: Instant)
  }

  /// The last outcome; running attempts are in the run and in the passes.
  ///
  /// On the heap, because most have completed.
  indirect enum Outcome: Hashable, Sendable {
    case idle
    case complete
    case failed(Failure)
    /// Cancelled; `by` is the initializer whose failure stopped its pass, if that was the reason.
    case cancelled(by: String?)
    /// Not run, because the named initializer prevented it, with the error of its pass.
    case notRun(by: String, Failure)
    /// Not run, but the dependents continue (S28).
    case skipped(SkipReason)

    /// The status in snapshots and events.
    var status: InitializerStatus {
      switch self {
      case .idle: .idle
      case .complete: .complete
      case .failed: .failed
      case .cancelled: .cancelled
      case .notRun: .notRun
      case .skipped: .skipped
      }
    }
  }

  // The order of the members needs the least padding: a graph may have a million entries.

  /// The newest declaration; a planned pass uses the declaration at the time of its planning.
  var declaration: Declaration
  /// The declaration by the manifest, if a worker provides it.
  private let manifest: Box<Declaration>?
  /// `nil` while no worker provides it.
  var provider: CurrentProvider?
  var outcome: Outcome = .idle
  /// The last snapshot that was published.
  var shown: InitializerSnapshot?
  /// The last run, or the run in flight.
  var run: RunSnapshot?
  /// The position among the completions, if the initializer has completed and has a stop (S24).
  var completion: Int?
  /// The run in flight.
  var inFlight: RunID?
  let kind: ProviderKind
  /// Whether the initializer had a provider before.
  ///
  /// If so, and a worker registers it again with another declaration, that applies from the next pass on.
  var wasProvided = false
  /// Declared twice, which fails every pass that needs it (S5).
  var isDuplicated = false
  /// Complete for the launch phase.
  var isDoneInLaunch = false
  /// Complete since the last entry into the active phase.
  var isDoneInActive = false
  /// Never run, and complete for every pass (S28).
  private(set) var isLeftOut = false
  /// Whether the initializer may run: all may, unless only some are selected (S28).
  var isSelected = true
  /// Whether a dependency has run since the initializer completed (S26).
  var isStale = false
  /// Whether a reload has changed its work since its last run started (S27).
  var isChanged = false
  /// The process whose memory contains the initializer's effect, if it is per process and the process is known (S22).
  var completedBy: Int32?
  /// The fingerprint of the last completion, if the initializer may be fresh and nothing has undone the completion since (S30).
  private var completedWith: Box<Fingerprint>?

  /// The fingerprint and the time of the last completion, if the initializer may be fresh and nothing has undone the completion since
  /// (S30).
  var fingerprint: Fingerprint? {
    get { completedWith?.value }
    set { completedWith = newValue.map { Box($0) } }
  }

  /// The declaration by the program or its manifest; such a name stays when its worker unregisters it.
  ///
  /// The declaration that only the supervisor itself can change, because it provides the name.
  var fixed: Declaration? { kind == .worker ? manifest?.value : declaration }

  init(declaration: Declaration, kind: ProviderKind, provider: CurrentProvider?, isFixed: Bool) {
    self.declaration = declaration
    self.kind = kind
    self.provider = provider
    self.manifest = isFixed && kind == .worker ? Box(declaration) : nil
  }

  /// Returns the entry of the same initializer with another declaration by the program's manifest (S27).
  func redeclared(_ declaration: Declaration, _ kind: ProviderKind, _ provider: CurrentProvider?, as now: Declaration)
    -> Entry
  {
    var copy = Entry(declaration: declaration, kind: kind, provider: provider, isFixed: true)
    copy.declaration = now
    copy.outcome = outcome
    copy.shown = shown
    copy.run = run
    copy.completion = completion
    copy.inFlight = inFlight
    copy.wasProvided = kind == self.kind && wasProvided
    copy.isDoneInLaunch = isDoneInLaunch
    copy.isDoneInActive = isDoneInActive
    copy.isStale = isStale
    copy.isChanged = isChanged
    copy.isLeftOut = isLeftOut
    copy.isSelected = isSelected
    copy.isDuplicated = isDuplicated
    copy.completedBy = completedBy
    copy.completedWith = completedWith
    return copy
  }

  func isDone(in phase: Phase) -> Bool {
    switch phase {
    case .launch: isDoneInLaunch || isLeftOut
    case .active: isDoneInActive || isLeftOut
    }
  }

  /// Leaves the initializer out of every pass (S28).
  mutating func skip(_ reason: SkipReason) {
    outcome = .skipped(reason)
    isLeftOut = true
  }

  /// Marks the initializer as complete for that phase.
  mutating func complete(in phase: Phase) {
    outcome = .complete
    switch phase {
    case .launch: isDoneInLaunch = true
    case .active: isDoneInActive = true
    }
  }

  /// Undoes the completion for that phase: the initializer runs again.
  mutating func undo(in phase: Phase) {
    fingerprint = nil
    switch phase {
    case .launch: isDoneInLaunch = false
    case .active: isDoneInActive = false
    }
  }

  /// Undoes the completion of the initializer, because its effect is gone.
  ///
  /// - Returns: whether the initializer had completed.
  @discardableResult
  mutating func undo() -> Bool {
    fingerprint = nil
    guard isDoneInLaunch || isDoneInActive else { return false }
    isDoneInLaunch = false
    isDoneInActive = false
    completedBy = nil
    outcome = .idle
    return true
  }

  /// Records the start of a run.
  mutating func start(_ id: RunID, attempt: Int, pass: PassID, _ phase: Phase, at now: Instant) {
    isChanged = false
    isStale = false
    fingerprint = nil
    var first = now
    if attempt > 1, let last = run, last.pass == pass { first = last.firstStarted }
    inFlight = id
    run = RunSnapshot(
      id: id, attempt: attempt, pass: pass, phase: phase, started: now, firstStarted: first)
  }

  /// Records the end of a run.
  mutating func end(_ id: RunID, after duration: Duration) {
    if inFlight == id { inFlight = nil }
    if run?.id == id { run?.duration = duration }
  }

  /// The error with which its dependents fail.
  var failure: Failure? {
    switch outcome {
    case .failed(let failure), .notRun(_, let failure): failure
    case .idle, .complete, .cancelled, .skipped: nil
    }
  }
}
