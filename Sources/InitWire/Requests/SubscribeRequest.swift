package import InitJSON
package import InitModel

/// Subscribes to events; replaces an earlier subscription.
package struct SubscribeRequest: ClientRequest, Shape {
  package static let method = "subscribe"
  package static let roles: [Role] = [.observe]
  package static let since = "0.1.0"

  /// The topics, without duplicates.
  ///
  /// An empty list is valid: its answer has the snapshot, and no events follow.
  package var topics: [Topic]

  /// Creates a subscription to some topics.
  package init(topics: [Topic] = Topic.defaults) { self.topics = topics }

  package init() { self.init(topics: Topic.defaults) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("topics", &topics)
    var seen: Set<Topic> = []
    topics.removeAll { !seen.insert($0).inserted }
  }

  /// The result of `subscribe`.
  package struct Result: Sendable, Shape {
    /// The Status that the following events continue from.
    package var snapshot = Status()

    package init() {}

    /// Creates the answer to `subscribe`.
    package init(snapshot: Status) { self.snapshot = snapshot }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("snapshot", &snapshot)
    }
  }
}
