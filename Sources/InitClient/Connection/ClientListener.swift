internal import InitModel
internal import InitWire

/// Handles the supervisor's requests to a worker or a coordinator; called on the loop's thread.
struct ClientListener: Sendable {
  var onRun: (@Sendable (RequestID, RunParams) -> Void)?
  var onCancel: (@Sendable (CancelParams) -> Void)?
  var onClaim: (@Sendable (RequestID, ClaimParams) -> Void)?
  var onComplete: (@Sendable (RequestID, CompleteParams) -> Void)?
  var onUnclaim: (@Sendable (UnclaimParams) -> Void)?
}
