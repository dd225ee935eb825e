/// A request of a client, with its params (protocol §4).
public enum Request: Sendable, Equatable {
  /// The first message of a client.
  case hello(HelloParams)
  /// Any object; the result is the same object.
  case ping(RawJSON)
  /// Asks for the whole picture.
  case status
  /// Starts or retries the launch pass (S9, S10).
  case launch
  /// Makes the app active (S10, S23).
  case activate(ActivateParams)
  /// Gives this connection's hold back (S23).
  case release
  /// Makes the app inactive (S11).
  case deactivate(DeactivateParams)
  /// Asks for events, in place of those asked for before.
  case subscribe(SubscribeParams)
  /// Wants no more events.
  case unsubscribe
  /// Waits for something to end.
  case wait(WaitParams)
  /// Provides initializers (S18, S19).
  case register(RegisterParams)
  /// Takes initializers away (S21).
  case unregister(UnregisterParams)
  /// Asks for what commands wrote.
  case logs(LogsParams)
  /// Asks for the passes that were.
  case history(HistoryParams)
  /// Ends the supervisor (S24).
  case shutdown

  /// The methods' names.
  public enum Method: String, Sendable, Equatable, CaseIterable {
    /// The first message of a client.
    case hello
    /// Asks for the same object back.
    case ping
    /// Asks for the whole picture.
    case status
    /// Starts or retries the launch pass.
    case launch
    /// Makes the app active.
    case activate
    /// Gives a hold back.
    case release
    /// Makes the app inactive.
    case deactivate
    /// Asks for events.
    case subscribe
    /// Wants no more events.
    case unsubscribe
    /// Waits for something to end.
    case wait
    /// Provides initializers.
    case register
    /// Takes initializers away.
    case unregister
    /// Asks for what commands wrote.
    case logs
    /// Asks for the passes that were.
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
  /// The supervisor tells a worker to stop a run.
  case cancel(CancelParams)
  /// The supervisor tells a subscriber what happened.
  case event(EventParams)
}
