internal import InitModel

// Each message is listed here once.

/// All requests of clients, in the order of protocol §4.
package let clientRequests: [any ClientRequest.Type] = [
  HelloRequest.self, PingRequest.self, StatusRequest.self, LaunchRequest.self, ActivateRequest.self,
  ReleaseRequest.self, DeactivateRequest.self, SubscribeRequest.self, UnsubscribeRequest.self, WaitRequest.self,
  RegisterRequest.self, UnregisterRequest.self, LogsRequest.self, HistoryRequest.self, RerunRequest.self,
  CancelRunRequest.self, EnvironmentRequest.self, ReloadRequest.self, ShutdownRequest.self, CoordinateRequest.self,
  ManageRequest.self, StopRequest.self, StartRequest.self, RestartRequest.self,
]

/// All requests of the supervisor: to a worker (protocol §6) and to its coordinator (PROTOCOL.md, "The coordinator").
package let supervisorRequests: [any Request.Type] = [RunRequest.self, ClaimRequest.self, CompleteRequest.self]

/// All notifications.
package let notifications: [any Notification.Type] = [
  ProgressNotification.self, CancelNotification.self, Status.Event.self, UnclaimNotification.self,
  RenewNotification.self, RevokeNotification.self,
]
