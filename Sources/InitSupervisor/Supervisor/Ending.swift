/// In which order everything ends, and how far that is (S24): a value.
struct Ending: Hashable {
  /// What comes next.
  enum Step: Hashable {
    /// Nothing yet: something has to end first, or all is over.
    case wait
    /// The last of the manifest's workers is stopped.
    case stopWorker
    /// What has completed is stopped.
    case stopInitializers
    /// What was left behind is ended.
    case endOrphans
    /// Clients are told, and everything closes.
    case end
  }

  /// Nothing runs any more that the machine knows; what was started beside it is being ended.
  var isQuiet = false
  /// What has completed is stopped.
  var isStopped = false
  /// Everything was told to end; what hasn't closed yet is on its way.
  var isEnded = false
  private var signals = 0

  /// One of the signals that end the supervisor has come.
  ///
  /// - Returns: whether it was the first: a further one skips the waiting.
  mutating func noteSignal() -> Bool {
    signals += 1
    return signals == 1
  }

  /// What runs may have needed one after the other: first the app ends, then the workers, then what initializers have set up, then what is left
  /// behind.
  func next(isAppRunning: Bool, areWorkersStopped: Bool, hasOrphans: Bool) -> Step {
    guard isQuiet, !isEnded, !isAppRunning else { return .wait }
    guard areWorkersStopped else { return .stopWorker }
    guard isStopped else { return .stopInitializers }
    return hasOrphans ? .endOrphans : .end
  }
}
