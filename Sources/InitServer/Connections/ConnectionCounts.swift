internal import InitWire

/// The number of connections at each socket, and of each user.
///
/// The value decides whether one more connection is accepted.
struct ConnectionCounts {
  /// A user at a socket.
  struct User: Hashable {
    let id: UInt32
    let isReadOnly: Bool
    /// Whether the user is root or the supervisor's own user.
    let isOwn: Bool
  }

  /// How many connections root and the supervisor's own user may have beyond the limit.
  static let reserved = 16

  /// The limit of connections per socket.
  var limit = 0
  private var main = 0
  private var readOnly = 0
  private var byUser: [User: Int] = [:]

  /// The maximum number of connections of one user per socket, unless the user is root or the supervisor's own.
  private var limitPerUser: Int { max(1, limit / 2) }

  /// Adds connections of a user, or removes them if the number is negative.
  mutating func add(_ difference: Int, of user: User) {
    if user.isReadOnly { readOnly += difference } else { main += difference }
    let count = byUser[user, default: 0] + difference
    byUser[user] = count > 0 ? count : nil
  }

  /// Returns why a user may have no further connection; nil if one is allowed.
  func refusal(of user: User) -> WireError? {
    // Each socket has a limit of its own. Root and the supervisor's own user have extra connections, so others can't lock them out.
    let reserved = !user.isReadOnly && user.isOwn ? Self.reserved : 0
    guard (user.isReadOnly ? readOnly : main) < limit + reserved else {
      return WireError(
        .limitExceeded, "cannot accept more than \(limit) connections: close one, or try again later",
        detail: .limit("connections"))
    }
    // Half of the connections are reserved for other users, even if they are unused now: their clients must find room when they connect.
    guard user.isOwn || byUser[user, default: 0] < limitPerUser else {
      return WireError(
        .limitExceeded,
        """
        cannot accept more than \(limitPerUser) connections of user \(user.id), half of the limit of \(limit): close one, or raise \
        --limit connections
        """, detail: .limit("connections"))
    }
    return nil
  }
}
