internal import EventLoop
package import InitModel
internal import InitWire
internal import Logging

/// The events: each one is numbered once, encoded at most once, and sent to its subscribers (protocol §5).
///
/// The subscribers with the same topics are an ``Audience``. An event is added to each audience that it concerns, and all subscribers are
/// sent it before the loop polls.
package final class Broadcast {
  /// The number of the last event, over all topics.
  package private(set) var seq = 0

  private let context: ServerContext
  private let time: () -> Double
  private var audiences: [Audience] = []
  /// Whether events wait for the poll.
  private var isPending = false

  /// Creates the events of a server; `time` is called for the time of each event, in seconds since the Unix epoch.
  package init(_ context: ServerContext, time: @escaping () -> Double) {
    self.context = context
    self.time = time
  }

  /// How many clients get events.
  package var subscribers: Int { audiences.reduce(0) { $0 + $1.count } }

  /// Numbers an event and sends it to the subscribers of its topics.
  package func publish(_ body: @autoclosure () -> Status.Event.Body, to topics: Topics) {
    seq += 1
    var frame: [UInt8]?
    for audience in audiences where topics.overlaps(audience.topics) {
      if frame == nil {
        frame = try? Message.notification(Status.Event(seq: seq, time: time(), body: body()))
      }
      guard let frame else { return context.logger.error("cannot encode event \(seq)") }
      audience.add(frame, limit: context.limits.eventBytes)
    }
    guard frame != nil, !isPending else { return }
    isPending = true
    context.loop.performAtEndOfTurn { [weak self] in self?.deliver() }
  }

  private func deliver() {
    isPending = false
    for audience in audiences { audience.deliver() }
  }

  /// Replaces a client's subscription; an empty set removes it.
  package func subscribe(_ client: Outgoing, to topics: Set<Topic>) {
    unsubscribe(client)
    guard !topics.isEmpty else { return }
    let topics = Topics(Array(topics))
    if let audience = audiences.first(where: { $0.topics == topics }) { return audience.add(client) }
    let audience = Audience(topics)
    audience.add(client)
    audiences.append(audience)
  }

  /// Removes a client's subscription.
  ///
  /// The client is still sent the events until now.
  package func unsubscribe(_ client: Outgoing) {
    guard let audience = client.subscription?.audience else { return }
    audience.remove(client)
    if audience.isEmpty { audiences.removeAll { $0 === audience } }
  }
}
