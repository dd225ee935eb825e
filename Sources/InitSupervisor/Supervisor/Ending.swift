/// The order of the shutdown, and its progress (S24): a value.
struct Ending: Hashable {
  /// The next step.
  enum Step: Hashable {
    /// Wait: something else must end first, or the shutdown is complete.
    case wait
    /// Stop the processes on which nothing depends that still runs.
    case stopProcesses
    /// Stop the completed initializers.
    case stopInitializers
    /// End orphaned processes.
    case endOrphans
    /// Notify the clients and close everything.
    case end
  }

  /// No run is active in the machine any more.
  var isQuiet = false
  /// The completed initializers are stopped.
  var isStopped = false
  /// All processes were asked to exit; the last connections are closing.
  var isEnded = false

  /// Returns the next step of the order: the app ends first, then the workers, then the completed initializers, then orphaned processes.
  ///
  /// Each may need the ones that end after it.
  func next(isAppRunning: Bool, areWorkersStopped: Bool, hasOrphans: Bool) -> Step {
    guard isQuiet, !isEnded, !isAppRunning else { return .wait }
    guard areWorkersStopped else { return .stopProcesses }
    guard isStopped else { return .stopInitializers }
    return hasOrphans ? .endOrphans : .end
  }
}
