internal import InitModel
internal import InitWire

/// Handles the supervisor's requests to a worker or a coordinator; called on the loop's thread.
struct ClientListener: Sendable {
  var onRun: (@Sendable (RequestID, RunRequest) -> Void)?
  var onCancel: (@Sendable (CancelNotification) -> Void)?
  var onClaim: (@Sendable (RequestID, ClaimRequest) -> Void)?
  var onComplete: (@Sendable (RequestID, CompleteRequest) -> Void)?
  var onUnclaim: (@Sendable (UnclaimNotification) -> Void)?
}
