internal import Etcd

/// Pings the supervisor.
///
/// A supervisor that hangs would otherwise keep its claims and its leadership for as long as this program renews the lease for it.
/// `LeaseRenewal` decides whether it hangs.
@FleetActor final class Heartbeat {
  private let limit: Duration
  private var beating: Task<Void, Never>?
  /// Called when the supervisor has answered, with the time at which its ping was sent; with nil when the connection has ended.
  var onChange: @FleetActor (_ answered: Duration?) -> Void = { _ in }

  /// Creates the heartbeat of a supervisor that may be silent for as long as `limit`.
  init(limit: Duration) { self.limit = limit }

  /// Begins to ping the supervisor.
  func begin(_ ping: @escaping @Sendable (_ limit: Duration) async throws -> Void) {
    end()
    onChange(FleetClock.now)
    beating = Task {
      while !Task.isCancelled {
        let sent = FleetClock.now
        if (try? await ping(limit)) != nil, !Task.isCancelled { onChange(sent) }
        try? await Task.sleep(for: limit / 4)
      }
    }
  }

  /// Ends the heartbeat with the connection.
  func end() {
    beating?.cancel()
    onChange(nil)
  }
}
