internal import InitWire

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
  var topics: Set<Topic> = []
  /// How many events were dropped since it fell behind; `nil` while it keeps up.
  private(set) var dropped: Int?

  /// Whether events were dropped since it fell behind.
  var isBehind: Bool { dropped != nil }

  /// A subscription to these topics.
  init(topics: Set<Topic> = []) { self.topics = topics }

  /// Decides about an event of these topics, whose frame has `bytes`, while `queued` bytes wait for the client.
  mutating func decide(about eventTopics: some Sequence<Topic>, bytes: Int, queued: Int, limit: Int) -> Decision {
    guard eventTopics.contains(where: topics.contains) else { return .skip }
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
