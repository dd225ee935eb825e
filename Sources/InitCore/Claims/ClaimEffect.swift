/// An output of ``Claims``: an action for a run that is marked `once`.
public enum ClaimEffect: Hashable, Sendable {
  /// Show that the run waits for a coordinator.
  case awaitCoordinator(run: RunID)
  /// Ask the coordinator.
  case claim(run: RunID)
  /// Have the coordinator record the completion.
  case complete(run: RunID)
  /// Tell the coordinator that the claim has ended; the reason is nil if the run was cancelled.
  case unclaim(run: RunID, String?)
  /// Execute the run.
  case execute(run: RunID, fence: Int)
  /// Tell the run to stop, for this reason.
  case stop(run: RunID, String)
  /// Kill the run.
  case kill(run: RunID)
  /// The run has completed.
  case finish(run: RunID)
  /// The run has failed.
  case fail(run: RunID, String)
  /// The machine has told the run to stop, and it has stopped; what the run itself reports has no effect.
  case cancel(run: RunID)
}
