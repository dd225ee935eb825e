/// Decides which connection makes room if there are too many: so a probe always finds a place.
///
/// Readers of events keep their places; their number has a limit of its own, which is lower.
public struct Places: Sendable {
  /// The use of a connection; the first ones make room before the others.
  public enum Use: Int, Sendable, Comparable {
    /// No whole request has arrived that isn't answered yet.
    case awaiting
    /// The client hasn't taken all of an answer.
    case writing
    /// A request is being answered.
    case answering
    /// The client reads events.
    case events

    /// Compares the order in which connections make room.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  private struct Entry {
    var use: Use
    /// The number of the change that began this use.
    var since: Int
  }

  private let limit: Int
  private var entries: [Int: Entry] = [:]
  /// The number of changes so far: it orders them.
  private var changes = 0
  /// The largest number of connections since many have left.
  private var most = 0
  /// The number of connections from which on their memory matters.
  private static let many = 64

  /// Creates as many places.
  public init(limit: Int) { self.limit = limit }

  /// The number of connections.
  public var count: Int { entries.count }

  /// Adds a connection, and returns the one that must be closed for it; nil if there is room.
  ///
  /// The place of the returned one is free already. If all others read events, it is the new connection.
  public mutating func enter(_ id: Int) -> Int? {
    changes += 1
    let victim = entries.count < limit ? nil : firstToLeave ?? id
    if let victim { entries[victim] = nil }
    if victim != id { entries[id] = Entry(use: .awaiting, since: changes) }
    most = max(most, entries.count)
    return victim
  }

  /// Sets the use of a connection, unless it has lost its place.
  public mutating func set(_ id: Int, _ use: Use) {
    guard let entry = entries[id], entry.use != use else { return }
    changes += 1
    entries[id] = Entry(use: use, since: changes)
  }

  /// Removes a connection, and returns whether half of many have left, so their memory should be given back.
  public mutating func leave(_ id: Int) -> Bool {
    entries[id] = nil
    guard most >= Self.many, entries.count <= most / 2 else { return false }
    most = entries.count
    return true
  }

  /// The connection of the least important use, and of these the one that has had this use for the longest time.
  private var firstToLeave: Int? {
    entries.filter { $0.value.use != .events }.min {
      ($0.value.use, $0.value.since) < ($1.value.use, $1.value.since)
    }?.key
  }
}
