internal import InitWire

/// What a client is to be answered. It takes no memory to speak of: its bytes are made when it is the client's turn to get them.
enum Reply {
  /// What was waited for.
  case state(StateShape)
  /// The time of a wait is up; with the Status of the moment in which the answer is made.
  case timedOut(String)
  /// What a deactivation cancelled has stopped.
  case deactivated([String])
  /// It can't be done.
  case error(WireError)
  /// The Status.
  case status
  /// The Status, and events of these topics from there on.
  case subscription(Set<Topic>)
  /// Lines that commands wrote.
  case logs(LogsParams)
  /// Passes that have ended.
  case history(HistoryParams)

  /// Whether its size is known to be small. What isn't small is made when nothing is queued for the client.
  var isSmall: Bool {
    switch self {
    case .state, .deactivated, .error: true
    case .timedOut, .status, .subscription, .logs, .history: false
    }
  }
}
