/// The requests to reload: those that share the reading under way, and those that wait for the next one.
///
/// A value.
struct ReloadQueue<Demand> {
  /// How many requests of one user may wait; the number of users is bounded by the number of connections.
  static var mostOfUser: Int { 16 }

  /// The requests that share the reading under way; nil if there is none.
  private var shared: [Demand]?
  private var waiting: [Demand] = []
  /// How many requests of each user wait.
  private var counts: [UInt32: Int] = [:]

  /// Whether a reading is under way.
  var isReading: Bool { shared != nil }
  /// Whether requests wait for the next reading.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// Adds a request of a user; returns false if too many of that user's wait.
  mutating func add(_ demand: Demand, of user: UInt32) -> Bool {
    guard counts[user, default: 0] < Self.mostOfUser else { return false }
    counts[user, default: 0] += 1
    waiting.append(demand)
    return true
  }

  /// Begins a reading, and returns the requests that share it: all that wait, because it begins after each of them.
  mutating func begin() -> [Demand] {
    let demands = waiting
    shared = demands
    waiting = []
    counts = [:]
    return demands
  }

  /// Ends the reading, and returns the requests that share it.
  mutating func end() -> [Demand] {
    defer { shared = nil }
    return shared ?? []
  }
}
