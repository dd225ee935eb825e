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
}
