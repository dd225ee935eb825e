internal import Etcd

/// Whether the supervisor answers.
///
/// A supervisor that hangs would otherwise keep its claims and its leadership for as long as this program renews the lease for it.
@FleetActor final class Heartbeat {
  private let limit: Duration
  /// The time of the last ping that was answered; nil while there is no connection, whose loss is reported elsewhere.
  private var answered: Duration?
  private var beating: Task<Void, Never>?

  /// Creates the heartbeat of a supervisor that may be silent for as long as `limit`.
  init(limit: Duration) { self.limit = limit }

  /// Whether the supervisor has been silent for longer than the limit.
  var isSilent: Bool { answered.map { FleetClock.now - $0 > limit } ?? false }

  /// Begins to ping the supervisor.
  func begin(_ ping: @escaping @Sendable (_ limit: Duration) async throws -> Void) {
    end()
    answered = FleetClock.now
    beating = Task {
      while !Task.isCancelled {
        let sent = FleetClock.now
        if (try? await ping(limit)) != nil, !Task.isCancelled { answered = sent }
        try? await Task.sleep(for: limit / 4)
      }
    }
  }

  /// Ends the heartbeat with the connection.
  func end() {
    beating?.cancel()
    answered = nil
  }
}
