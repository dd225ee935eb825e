package import InitModel

/// A set of topics.
package struct Topics: Equatable {
  private let bits: UInt16

  /// The set of one topic.
  package init(_ topic: Topic) { bits = 1 << UInt16(Topic.allCases.firstIndex(of: topic) ?? 0) }

  /// The set of these topics.
  package init(_ topics: [Topic]) { bits = topics.reduce(0) { $0 | Topics($1).bits } }

  /// Returns whether two sets have a topic in common.
  func overlaps(_ other: Topics) -> Bool { bits & other.bits != 0 }
}

/// A client among the subscribers, and which events it gets.
///
/// A client that reads too slowly gets no events until its queue has drained, then the number of missed events and a snapshot.
struct Subscription {
  /// The subscribers with the same topics.
  let audience: Audience
  /// The client's index among the subscribers.
  var index: Int
  /// The number of the audience's events that the client was sent, or has missed.
  private(set) var seen: Int
  /// The number of events that were dropped since the client fell behind; `nil` while it keeps up.
  private(set) var dropped: Int?

  /// Whether events were dropped since the client fell behind.
  var isBehind: Bool { dropped != nil }

  init(audience: Audience, index: Int, seen: Int) {
    self.audience = audience
    self.index = index
    self.seen = seen
  }

  /// Decides about the events that the client hasn't seen: returns the position of the first one to send, or counts them as dropped.
  ///
  /// `ends` are the positions at which the events of the audience end. `queued` is the bytes that wait for the client; `limit`: how many
  /// may wait with these events. `isLast` says whether the audience removes these events after that.
  mutating func receive(_ ends: [Int], queued: Int, limit: Int, isLast: Bool) -> Int? {
    let count = ends.count - seen
    let start = seen == 0 ? 0 : ends[seen - 1]
    seen = isLast ? 0 : ends.count
    guard count > 0 else { return nil }
    if let dropped {
      self.dropped = dropped + count
      return nil
    }
    guard queued == 0 || queued + ends[ends.count - 1] - start <= limit else {
      dropped = count
      return nil
    }
    return start
  }

  /// Resumes after the queue has drained, and returns the number of missed events, if there are any.
  mutating func drained() -> Int? {
    defer { dropped = nil }
    return dropped
  }
}
