internal import InitWire
internal import Logging

/// Events: each is numbered once, encoded at most once, and sent to whoever subscribed (protocol §5).
final class Broadcast: Part {
  /// A client that has topics.
  private final class Subscriber {
    let client: Outgoing
    var subscription: Subscription

    init(_ client: Outgoing, _ subscription: Subscription) { (self.client, self.subscription) = (client, subscription) }
  }

  /// The number of the last event, over all topics.
  private(set) var seq = 0
  /// Whether all clients together hold much: then a subscriber falls behind sooner.
  var isCrowded: () -> Bool = { false }

  let core: Core
  private var subscribers: [Int: Subscriber] = [:]

  init(_ core: Core) { self.core = core }

  /// Numbers an event and sends it to those of its topics.
  func publish(_ body: @autoclosure () -> EventBody, topics: [Topic]) {
    seq += 1
    var frame: [UInt8]?
    let limit = isCrowded() ? 0 : limits.eventBytes
    for subscriber in subscribers.values where topics.contains(where: subscriber.subscription.topics.contains) {
      if frame == nil {
        frame = try? Message.notification(.event(EventParams(seq: seq, time: core.time, body: body())))
      }
      guard let frame else { return logger.error("cannot encode event \(seq)") }
      let decision = subscriber.subscription.decide(
        about: topics, bytes: frame.count, queued: subscriber.client.queuedBytes, limit: limit)
      if decision == .send { subscriber.client.send(frame) }
    }
  }

  /// A client has these topics from now on.
  func subscribe(_ client: Outgoing, to topics: Set<Topic>) {
    subscribers[client.id] = topics.isEmpty ? nil : Subscriber(client, Subscription(topics: topics))
  }

  /// A client has no topics any more, or is gone.
  func unsubscribe(_ client: Int) { subscribers[client] = nil }

  /// Whether events were dropped since the client fell behind.
  func isBehind(_ client: Int) -> Bool { subscribers[client]?.subscription.isBehind == true }

  /// What was queued for a client has drained: how many events it missed, if it had fallen behind. It keeps up again from here.
  func drained(_ client: Int) -> Int? { subscribers[client]?.subscription.drained() }
}
