package import InitJSON
package import InitModel

/// A request of a client, with its params (protocol §4).
package enum Request: Sendable, Equatable {
  /// The first message of a client.
  case hello(HelloParams)
  /// The params are any object; the result is the same object.
  case ping(RawJSON)
  /// Requests the Status.
  case status
  /// Starts or retries the launch pass (S9, S10).
  case launch
  /// Makes the app active (S10, S23).
  case activate(ActivateParams)
  /// Releases this connection's hold (S23).
  case release
  /// Makes the app inactive (S11).
  case deactivate(DeactivateParams)
  /// Subscribes to events; replaces an earlier subscription.
  case subscribe(SubscribeParams)
  /// Ends the subscription.
  case unsubscribe
  /// Waits for something to end.
  case wait(WaitParams)
  /// Registers initializers (S18, S19).
  case register(RegisterParams)
  /// Removes initializers (S21).
  case unregister(UnregisterParams)
  /// Requests output lines of commands.
  case logs(LogsParams)
  /// Requests the last passes.
  case history(HistoryParams)
  /// Runs initializers again (S26).
  case rerun(RerunParams)
  /// Cancels runs (S34).
  case cancelRun(CancelRunParams)
  /// Reads the configuration again, and applies the changes (S27).
  case reload(ReloadParams)
  /// Ends the supervisor (S24).
  case shutdown
  /// Makes this connection the coordinator: it decides where initializers marked `once` run.
  case coordinate
  /// Makes this connection the manager, which decides when the app is active.
  case manage

  /// The methods' names, each described at its request.
  package enum Method: String, Sendable, Equatable, CaseIterable {
    case hello, ping, status, launch, activate, release, deactivate, subscribe, unsubscribe, wait, register, unregister
    case logs, history, rerun, cancelRun, reload, shutdown, coordinate, manage
  }

  /// The method's name.
  package var method: Method { parts.method }

  /// The method's name, and the params unless it takes none.
  var parts: (method: Method, params: (any JSONValue)?) {
    switch self {
    case .hello(let params): (.hello, params)
    case .ping(let params): (.ping, params)
    case .status: (.status, nil)
    case .launch: (.launch, nil)
    case .activate(let params): (.activate, params)
    case .release: (.release, nil)
    case .deactivate(let params): (.deactivate, params)
    case .subscribe(let params): (.subscribe, params)
    case .unsubscribe: (.unsubscribe, nil)
    case .wait(let params): (.wait, params)
    case .register(let params): (.register, params)
    case .unregister(let params): (.unregister, params)
    case .logs(let params): (.logs, params)
    case .history(let params): (.history, params)
    case .rerun(let params): (.rerun, params)
    case .cancelRun(let params): (.cancelRun, params)
    case .reload(let params): (.reload, params)
    case .shutdown: (.shutdown, nil)
    case .coordinate: (.coordinate, nil)
    case .manage: (.manage, nil)
    }
  }
}

/// A request of the supervisor to a client, with its params (protocol §6; PROTOCOL.md, "The coordinator").
package enum SupervisorRequest: Sendable, Equatable {
  /// To a worker: run an initializer; the answer is its outcome.
  case run(RunParams)
  /// To the coordinator: may this host run an initializer that is marked `once`?
  case claim(ClaimParams)
  /// To the coordinator: record that a claimed run has completed.
  case complete(CompleteParams)

  /// The methods' names.
  enum Method: String { case run, claim, complete }

  /// The method's name, and the params.
  var parts: (method: Method, params: any JSONValue) {
    switch self {
    case .run(let params): (.run, params)
    case .claim(let params): (.claim, params)
    case .complete(let params): (.complete, params)
    }
  }
}

/// A notification that one of the two sides knows, with its params (protocol §5, §6).
///
/// All others are ignored.
package enum Notification: Sendable, Equatable {
  /// A worker reports on a run.
  case progress(ProgressParams)
  /// The supervisor asks a worker to stop a run.
  case cancel(CancelParams)
  /// The supervisor sends an event to a subscriber.
  case event(Status.Event)
  /// The supervisor tells its coordinator that a claim has ended without a completion.
  case unclaim(UnclaimParams)
  /// The coordinator holds a claim for longer.
  case renew(RenewParams)
  /// The coordinator has lost a claim.
  case revoke(RevokeParams)

  /// The methods' names.
  package enum Method: String { case progress, cancel, event, unclaim, renew, revoke }

  /// The method's name, and the params.
  var parts: (method: Method, params: any JSONValue) {
    switch self {
    case .progress(let params): (.progress, params)
    case .cancel(let params): (.cancel, params)
    case .event(let params): (.event, params)
    case .unclaim(let params): (.unclaim, params)
    case .renew(let params): (.renew, params)
    case .revoke(let params): (.revoke, params)
    }
  }
}
