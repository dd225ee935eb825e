internal import InitWire

/// A set of topics.
struct Topics: Equatable {
  private var bits: UInt16 = 0

  init(_ topics: some Sequence<Topic>) {
    for topic in topics { bits |= 1 << UInt16(Topic.allCases.firstIndex(of: topic) ?? 0) }
  }

  /// Whether both have a topic in common.
  func overlaps(_ other: Topics) -> Bool { bits & other.bits != 0 }
}

/// Which events a client gets. A client that reads too slowly gets none until its queue has drained, then the number of missed events and a
/// snapshot.
struct Subscription: Equatable {
  /// The decision about an event.
  enum Decision: Equatable {
    /// It isn't subscribed to its topic.
    case skip
    /// Send it.
    case send
    /// The queue is full; the event is counted as dropped.
    case drop
  }

  /// Its topics; none without a subscription.
  let topics: Topics
  /// How many events were dropped since it fell behind; `nil` while it keeps up.
  private(set) var dropped: Int?

  /// Whether events were dropped since it fell behind.
  var isBehind: Bool { dropped != nil }

  /// A subscription to these topics.
  init(topics: some Sequence<Topic> = []) { self.topics = Topics(topics) }

  /// Decides about an event of these topics, whose frame has `bytes`, while `queued` bytes wait for the client.
  mutating func decide(about eventTopics: Topics, bytes: Int, queued: Int, limit: Int) -> Decision {
    guard eventTopics.overlaps(topics) else { return .skip }
    if let dropped {
      self.dropped = dropped + 1
      return .drop
    }
    guard queued == 0 || queued + bytes <= limit else {
      dropped = 1
      return .drop
    }
    return .send
  }

  /// The queue has drained: returns the number of missed events, if any, and resumes.
  mutating func drained() -> Int? {
    defer { dropped = nil }
    return dropped
  }
}
