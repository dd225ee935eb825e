/// What the machine knows of one initializer, across passes.
struct Entry: Hashable, Sendable {
  /// Who can run it now.
  enum Provider: Hashable, Sendable {
    /// Part of the supervisor: a Swift object, or a command.
    case resident
    /// A connected worker and its process, if the kernel told it.
    case worker(WorkerID, process: Int32?)
  }

  /// What came of it last; what is under way is in its run and in the passes.
  enum Outcome: Hashable, Sendable {
    case idle
    case complete
    case failed(Failure)
    case cancelled
    /// Never come to: the name that stood in the way, and the error its pass failed with.
    case notRun(by: String, Failure)
  }

  /// The newest declaration; a pass that has planned goes on with the one it planned.
  var declaration: Declaration
  let kind: ProviderKind
  /// `nil` while no worker provides it.
  var provider: Provider?
  /// As the program or its manifest declared it; such a name stays when its worker unregisters it.
  let fixed: Declaration?
  /// Somebody has provided it before: a worker that comes back with another declaration has it from the next pass on.
  var wasProvided = false
  /// Declared twice, which fails whatever pass needs it (S5).
  var isDuplicated = false
  /// Complete as far as the launch phase is concerned.
  var isDoneInLaunch = false
  /// Complete in the present entry into the active phase.
  var isDoneInActive = false
  /// The process in whose memory its effect lives, if it is per process and that is known (S22).
  var completedBy: Int32?
  var outcome: Outcome = .idle
  /// Its place among the completions, if it has completed and has a stop (S24).
  var completion: Int?
  /// The run in flight.
  var inFlight: Int?
  /// The last run, or the one in flight.
  var run: RunSnapshot?
  /// What observers were told last.
  var shown: InitializerSnapshot?

  func isDone(in phase: Phase) -> Bool {
    switch phase {
    case .launch: isDoneInLaunch
    case .active: isDoneInActive
    }
  }

  /// The error that it stands for towards what depends on it.
  var failure: Failure? {
    switch outcome {
    case .failed(let failure), .notRun(_, let failure): failure
    case .idle, .complete, .cancelled: nil
    }
  }
}
