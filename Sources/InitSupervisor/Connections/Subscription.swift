internal import InitWire

/// Which events a client gets, and whether it keeps up (protocol §5): one that reads too slowly is sent none until what is queued for it
/// has drained, then how many it missed, and a snapshot.
struct Subscription: Equatable {
  /// What to do with an event.
  enum Decision: Equatable {
    /// Not its topic.
    case skip
    /// Send it.
    case send
    /// It would be too much; it is counted as dropped.
    case drop
  }

  /// Its topics; none without a subscription.
  var topics: Set<Topic> = []
  /// How many events were dropped since it fell behind; `nil` while it keeps up.
  private(set) var dropped: Int?

  /// Whether events were dropped since it fell behind.
  var isBehind: Bool { dropped != nil }

  /// A subscription to these topics, none for nothing.
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

  /// What was queued has drained: how many events it missed, if it did; it keeps up again from here.
  mutating func drained() -> Int? {
    defer { dropped = nil }
    return dropped
  }
}
