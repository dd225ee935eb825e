internal import DequeModule
internal import InitModel
internal import InitWire

/// A bounded queue of events that haven't been read yet.
///
/// The queue applies the protocol's rule for slow subscribers to a reader that is slower than its connection: above the bound, events are
/// dropped and counted until the queue has drained. Then the reader gets their number, a new snapshot, and the events after it.
struct EventQueue {
  /// Above this number of queued bytes, further events are dropped.
  static let bound = 1 << 20

  /// The next element for a reader.
  enum Next: Equatable {
    case event(ReceivedEvent)
    /// Events were dropped; a snapshot and `resume(after:)` must follow.
    case lagged(dropped: Int)
    /// Nothing yet.
    case nothing
  }

  private var events: Deque<ReceivedEvent> = []
  private var bytes = 0
  private var dropped = 0
  private var since = Int.min

  /// Whether the queue is empty.
  var isEmpty: Bool { events.isEmpty && dropped == 0 }

  /// Adds an event.
  mutating func put(_ event: ReceivedEvent) {
    // Never dropped: `shutdown` is the last event, and distinguishes a shutdown from a lost connection.
    guard dropped == 0 && bytes <= Self.bound || event.params.body == .shutdown else {
      dropped += 1
      return
    }
    events.append(event)
    bytes += event.text.count
  }

  /// Returns the next event, or another next step.
  ///
  /// Events that the snapshot already contains are skipped.
  mutating func next() -> Next {
    if dropped > 0, events.first == nil || events.first?.params.body == .shutdown {
      defer { dropped = 0 }
      return .lagged(dropped: dropped)
    }
    while let event = events.popFirst() {
      bytes -= event.text.count
      if let seq = event.params.seq, seq <= since { continue }
      return .event(event)
    }
    return .nothing
  }

  /// Skips events with numbers up to that of a snapshot, which contains them.
  mutating func resume(after seq: Int) { since = max(since, seq) }

  /// Drops all queued events.
  mutating func removeAll() {
    events = []
    bytes = 0
    dropped = 0
  }
}
