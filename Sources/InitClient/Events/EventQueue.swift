internal import DequeModule
internal import InitWire

/// Events that have come and that nobody has taken yet, with a bound.
///
/// The law, the supervisor's own (protocol §5), kept here for a reader that is slower than its connection: above the
/// bound events are dropped and counted, until the queue has drained; then the reader is told how many, gets what is at
/// that moment, and events go on from there.
struct EventQueue {
  /// Above so many bytes of queued events, further ones are dropped.
  static let bound = 1 << 20

  /// What a reader is to get next.
  enum Next: Equatable {
    /// This event.
    case event(ReceivedEvent)
    /// Word that events were dropped; then a snapshot, and `resume(after:)`.
    case lagged(dropped: Int)
    /// Nothing yet.
    case nothing
  }

  private var events: Deque<ReceivedEvent> = []
  private var bytes = 0
  private var dropped = 0
  private var since = Int.min

  /// Whether there is nothing to take.
  var isEmpty: Bool { events.isEmpty && dropped == 0 }

  /// Takes an event that came.
  mutating func put(_ event: ReceivedEvent) {
    // The farewell is the last one, and tells an end from a loss.
    guard dropped == 0 && bytes <= Self.bound || event.params.body == .shutdown else {
      dropped += 1
      return
    }
    events.append(event)
    bytes += event.json.bytes.count
  }

  /// Gives the next event, or says what else there is to do. Events that a snapshot contains are passed over.
  mutating func take() -> Next {
    if dropped > 0, events.first == nil || events.first?.params.body == .shutdown {
      defer { dropped = 0 }
      return .lagged(dropped: dropped)
    }
    while let event = events.popFirst() {
      bytes -= event.json.bytes.count
      if let seq = event.params.seq, seq <= since { continue }
      return .event(event)
    }
    return .nothing
  }

  /// Events with numbers up to that of a snapshot are contained in it.
  mutating func resume(after seq: Int) { since = max(since, seq) }

  /// Forgets all events that have come.
  mutating func removeAll() {
    (events, bytes, dropped) = ([], 0, 0)
  }
}
