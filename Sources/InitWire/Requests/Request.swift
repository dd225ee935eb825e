/// A request of a client, with its params (protocol §4).
public enum Request: Sendable, Equatable {
  /// The first message of a client.
  case hello(HelloParams)
  /// Any object; the result is the same object.
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
  /// Ends the supervisor (S24).
  case shutdown

  /// The methods' names.
  public enum Method: String, Sendable, Equatable, CaseIterable {
    /// The first message of a client.
    case hello
    /// Asks for the same object back.
    case ping
    /// Requests the Status.
    case status
    /// Starts or retries the launch pass.
    case launch
    /// Makes the app active.
    case activate
    /// Releases a hold.
    case release
    /// Makes the app inactive.
    case deactivate
    /// Asks for events.
    case subscribe
    /// Ends the subscription.
    case unsubscribe
    /// Waits for something to end.
    case wait
    /// Registers initializers.
    case register
    /// Removes initializers.
    case unregister
    /// Requests output lines of commands.
    case logs
    /// Requests the last passes.
    case history
    /// Ends the supervisor.
    case shutdown
  }

  /// The method's name.
  public var method: Method {
    switch self {
    case .hello: .hello
    case .ping: .ping
    case .status: .status
    case .launch: .launch
    case .activate: .activate
    case .release: .release
    case .deactivate: .deactivate
    case .subscribe: .subscribe
    case .unsubscribe: .unsubscribe
    case .wait: .wait
    case .register: .register
    case .unregister: .unregister
    case .logs: .logs
    case .history: .history
    case .shutdown: .shutdown
    }
  }
}

/// A request of the supervisor to a client, with its params (protocol §6).
public enum WorkerRequest: Sendable, Equatable {
  /// Run an initializer; the answer is its outcome.
  case run(RunParams)
}

/// A notification that one of the two sides knows, with its params (protocol §5, §6). All others are ignored.
public enum Notification: Sendable, Equatable {
  /// A worker reports on a run.
  case progress(ProgressParams)
  /// The supervisor asks a worker to stop a run.
  case cancel(CancelParams)
  /// The supervisor sends an event to a subscriber.
  case event(EventParams)
}
