/// The subscribers with the same topics.
///
/// Events wait here until the loop polls, once for all of them: sending them to a subscriber costs little more than its system call.
///
/// A subscriber that is sent something else before the poll is sent the events first, so its messages keep their order.
final class Audience {
  let topics: Topics
  private var members: [Outgoing] = []
  /// The waiting events, one behind the other, and the position where each ends.
  private var events: [UInt8] = []
  private var ends: [Int] = []
  /// How many bytes may be queued for a subscriber.
  private var limit = 0

  /// Events with this number of bytes or more are sent at once; fewer wait for the poll.
  private static let gatheredBytes = 16 * 1024

  init(_ topics: Topics) { self.topics = topics }

  /// The number of the audience's subscribers.
  var count: Int { members.count }
  /// Whether the audience has no subscriber.
  var isEmpty: Bool { members.isEmpty }

  /// Adds a subscriber, which gets the events from now on.
  func add(_ client: Outgoing) {
    client.subscription = Subscription(audience: self, index: members.count, seen: ends.count)
    members.append(client)
  }

  /// Removes a subscriber.
  ///
  /// The client is still sent the events until now.
  func remove(_ client: Outgoing) {
    guard let index = client.subscription?.index else { return }
    deliver(to: client)
    client.subscription = nil
    let last = members.removeLast()
    guard last !== client else { return }
    members[index] = last
    last.subscription?.index = index
  }

  /// Adds an event.
  ///
  /// `limit` is the maximum number of bytes that may be queued for a subscriber, including the waiting events. If nothing is queued, it
  /// gets them in any case.
  func add(_ frame: [UInt8], limit: Int) {
    if ends.isEmpty { events = frame } else { events += frame }
    ends.append(events.count)
    self.limit = limit
    if events.count >= Self.gatheredBytes { deliver() }
  }

  /// Sends all subscribers the events that wait.
  func deliver() {
    guard !ends.isEmpty else { return }
    events.withUnsafeBytes { events in
      for member in members { member.deliver(events, ends, limit: limit, isLast: true) }
    }
    events = []
    ends.removeAll(keepingCapacity: true)
  }

  /// Sends one subscriber the events that wait, before something else.
  func deliver(to member: Outgoing) {
    guard !ends.isEmpty else { return }
    events.withUnsafeBytes { member.deliver($0, ends, limit: limit, isLast: false) }
  }
}
