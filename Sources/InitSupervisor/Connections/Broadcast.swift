internal import InitWire
internal import Logging

/// The events: each one is numbered once, encoded at most once, and sent to its subscribers (protocol §5).
final class Broadcast: Part {
  /// A client with a subscription.
  private final class Subscriber {
    let client: Outgoing
    var subscription: Subscription

    init(_ client: Outgoing, _ subscription: Subscription) { (self.client, self.subscription) = (client, subscription) }
  }

  /// The number of the last event, over all topics.
  private(set) var seq = 0
  /// Whether all clients together have much queued; then slow subscribers stop getting events sooner.
  var isCrowded: () -> Bool = { false }

  let core: Core
  private var subscribers: [Int: Subscriber] = [:]

  init(_ core: Core) { self.core = core }

  /// Numbers an event and sends it to the subscribers of its topics.
  func publish(_ body: @autoclosure () -> EventBody, topics: [Topic]) {
    seq += 1
    let topics = Topics(topics)
    var frame: [UInt8]?
    let limit = isCrowded() ? 0 : limits.eventBytes
    for subscriber in subscribers.values where topics.overlaps(subscriber.subscription.topics) {
      if frame == nil {
        frame = try? Message.notification(.event(EventParams(seq: seq, time: core.time, body: body())))
      }
      guard let frame else { return logger.error("cannot encode event \(seq)") }
      let decision = subscriber.subscription.decide(
        about: topics, bytes: frame.count, queued: subscriber.client.queuedBytes, limit: limit)
      if decision == .send { subscriber.client.send(frame) }
    }
  }

  /// Replaces a client's subscription; an empty set removes it.
  func subscribe(_ client: Outgoing, to topics: Set<Topic>) {
    subscribers[client.id] = topics.isEmpty ? nil : Subscriber(client, Subscription(topics: topics))
  }

  /// Removes a client's subscription.
  func unsubscribe(_ client: Int) { subscribers[client] = nil }

  /// Whether events were dropped since the client fell behind.
  func isBehind(_ client: Int) -> Bool { subscribers[client]?.subscription.isBehind == true }

  /// The client's queue has drained: returns the number of missed events if it had fallen behind, and resumes its events.
  func drained(_ client: Int) -> Int? { subscribers[client]?.subscription.drained() }
}
