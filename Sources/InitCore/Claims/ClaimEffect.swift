/// An output of ``Claims``: what must be done about a run that is marked `once`.
public enum ClaimEffect: Hashable, Sendable {
  /// Show that the run waits for a coordinator.
  case awaitCoordinator(run: Int)
  /// Ask the coordinator.
  case claim(run: Int)
  /// Have the coordinator record the completion.
  case complete(run: Int)
  /// Tell the coordinator that the claim has ended; the reason is nil if the run was cancelled.
  case unclaim(run: Int, String?)
  /// Execute the run.
  case execute(run: Int, fence: Int)
  /// Tell the run to stop, for this reason.
  case stop(run: Int, String)
  /// Kill the run.
  case kill(run: Int)
  /// The run has completed.
  case finish(run: Int)
  /// The run has failed.
  case fail(run: Int, String)
  /// The run was cancelled before it was executed, or while its completion was being recorded.
  case cancel(run: Int)
}
