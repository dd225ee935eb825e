internal import InitModel
internal import InitWire

/// A pending answer.
///
/// A deferred answer takes little memory: its bytes are made when they can be sent.
enum DeferredAnswer {
  /// The result of a wait.
  case state(Status.State)
  /// A wait timed out; the answer has the Status of the moment in which it is made.
  case timedOut(String)
  /// The runs that a deactivation or an operator cancelled have stopped.
  case deactivated([String])
  /// An error.
  case error(WireError)
  /// The Status.
  case status
  /// The Status, and events of these topics from there on.
  case subscription(Set<Topic>)
  /// Output lines of commands.
  case logs(LogsRequest)
  /// Passes that have ended.
  case history(HistoryRequest)

  /// Whether the answer may have many bytes.
  var isLarge: Bool {
    switch self {
    case .state, .deactivated, .error: false
    case .timedOut, .status, .subscription, .logs, .history: true
    }
  }
}
