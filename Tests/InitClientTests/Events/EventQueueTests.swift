import InitModel
import InitWire
import Testing

@testable import InitClient

struct EventQueueTests {
  private func event(_ seq: Int?, _ body: Status.Event.Body = .unknown(topic: "x"), bytes: Int = 2) throws
    -> ReceivedEvent
  {
    var params = Status.Event(unnumbered: body)
    params.seq = seq
    let text = "\"" + String(repeating: "x", count: bytes - 2) + "\""
    return ReceivedEvent(params: params, text: Array(text.utf8)[...])
  }

  @Test("Events leave the queue in the order in which they were added")
  func order() throws {
    var queue = EventQueue()
    #expect(queue.isEmpty)
    for seq in 1...3 { queue.put(try event(seq)) }
    #expect(!queue.isEmpty)
    for seq in 1...3 { #expect(queue.next() == .event(try event(seq))) }
    #expect(queue.next() == .nothing)
  }

  @Test("Above the bound, events are dropped until the queue has drained; then their number is reported")
  func bound() throws {
    var queue = EventQueue()
    let half = EventQueue.bound / 2 + 1
    for seq in 1...2 { queue.put(try event(seq, bytes: half)) }
    for seq in 3...5 { queue.put(try event(seq)) }
    #expect(queue.next() == .event(try event(1, bytes: half)))
    // There is space again, but after a gap: the next event would follow the wrong one.
    queue.put(try event(6))
    #expect(queue.next() == .event(try event(2, bytes: half)))
    #expect(queue.next() == .lagged(dropped: 4))
    queue.put(try event(7))
    #expect(queue.next() == .event(try event(7)))
  }

  @Test("At the bound, a further event is still queued; what was read or dropped doesn't count any more")
  func edge() throws {
    var queue = EventQueue()
    for seq in [1, 3, 5] {
      queue.put(try event(seq, bytes: EventQueue.bound))
      queue.put(try event(seq + 1))
      guard seq < 5 else { break }
      #expect(queue.next() == .event(try event(seq, bytes: EventQueue.bound)))
      #expect(queue.next() == .event(try event(seq + 1)))
    }
    queue.put(try event(7))
    queue.removeAll()
    #expect(queue.isEmpty && queue.next() == .nothing)
    queue.put(try event(8, bytes: EventQueue.bound))
    queue.put(try event(9))
    #expect(queue.next() == .event(try event(8, bytes: EventQueue.bound)))
    #expect(queue.next() == .event(try event(9)))
  }

  @Test("An earlier snapshot doesn't bring back the events that a later one contains")
  func snapshots() throws {
    var queue = EventQueue()
    for seq in [4, 5, 6] { queue.put(try event(seq)) }
    queue.resume(after: 5)
    queue.resume(after: 3)
    #expect(queue.next() == .event(try event(6)))
  }

  @Test("After a snapshot, events that it contains are skipped")
  func snapshot() throws {
    var queue = EventQueue()
    for seq in [4, 5, 6] { queue.put(try event(seq)) }
    queue.put(try event(nil, .lagged(dropped: 1)))
    queue.resume(after: 5)
    #expect(queue.next() == .event(try event(6)))
    #expect(queue.next() == .event(try event(nil, .lagged(dropped: 1))))
  }

  @Test("The event shutdown is never dropped, and follows the number of dropped events")
  func farewell() throws {
    var queue = EventQueue()
    queue.put(try event(1, bytes: EventQueue.bound + 1))
    queue.put(try event(2))
    queue.put(try event(nil, .shutdown))
    #expect(queue.next() == .event(try event(1, bytes: EventQueue.bound + 1)))
    #expect(queue.next() == .lagged(dropped: 1))
    #expect(queue.next() == .event(try event(nil, .shutdown)))
  }
}
