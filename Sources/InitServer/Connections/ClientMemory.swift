/// The memory that clients hold: in total, and by user.
///
/// The value decides whose clients are disconnected if all together hold too much, and who gets fewer events before that. A user's memory
/// is that of all of the user's clients, regardless of their number, so a user whose clients hold little is never disconnected because of
/// others.
struct ClientMemory {
  /// The user of a client, as far as its memory is concerned.
  struct User: Hashable {
    let id: UInt32
    /// Whether the user is root or the supervisor's own user, at the main socket: their clients are disconnected last.
    let isOwn: Bool
  }

  /// The total in bytes.
  private(set) var bytes = 0
  private var bytesByUser: [User: Int] = [:]
  /// How many bytes all clients together may hold.
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Whether the memory exceeds what all clients together may hold.
  var isExceeded: Bool { bytes > limit }

  /// Whether so much is held that it must be kept in separate blocks, which are returned to the system as soon as they are freed.
  var isLarge: Bool { bytes > limit / 4 }

  /// Adds a client's bytes, or removes them if the number is negative.
  mutating func add(_ difference: Int, of user: User) {
    bytes += difference
    let own = bytesByUser[user, default: 0] + difference
    bytesByUser[user] = own > 0 ? own : nil
  }

  /// The user with the most memory, one of whose clients is disconnected next.
  var heaviest: User? {
    bytesByUser.max { ($0.key.isOwn ? 0 : 1, $0.value, $1.key.id) < ($1.key.isOwn ? 0 : 1, $1.value, $0.key.id) }?.key
  }

  /// Returns whether a user's slow subscribers get no events for now: three quarters of the limit are used, and the user holds at least the
  /// average of all users.
  func isCrowding(_ user: User) -> Bool {
    bytes > limit / 4 * 3 && bytesByUser[user, default: 0] * bytesByUser.count >= bytes
  }
}
