/// An input of ``Claims``: an event of a run that is marked `once`, or of the coordinator.
public enum ClaimEvent: Hashable, Sendable {
  /// The machine has started a run that is marked `once`.
  case started(run: RunID)
  /// The machine has told a run to stop, or has ended it; with the reason if it counts as failed, for example after a timeout.
  case cancelled(run: RunID, String?)
  /// A coordinator is connected.
  case coordinatorConnected
  /// The coordinator is no longer connected.
  case coordinatorLost
  /// The coordinator lets this host run the initializer; `lease` is for how long from now, nil until the end of the run.
  case granted(run: RunID, fence: Int, lease: Duration?)
  /// The coordinator says that another host has completed it.
  case done(run: RunID)
  /// The coordinator has refused to grant a claim, for this reason.
  case refused(run: RunID, String)
  /// The coordinator has refused to record a completion, for this reason.
  case unrecorded(run: RunID, String)
  /// The claim is held for this long from the moment in which the coordinator said so.
  case renewed(run: RunID, sent: Instant, lease: Duration)
  /// The claim is lost, for this reason.
  case revoked(run: RunID, String?)
  /// The execution has succeeded.
  case succeeded(run: RunID)
  /// The execution has failed, for this reason.
  case stopped(run: RunID, String)
  /// The coordinator has recorded the completion.
  case recorded(run: RunID)
  /// No event other than that time has passed.
  case timePassed
}
