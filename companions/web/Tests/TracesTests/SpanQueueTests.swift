import Testing

@testable import Traces

@Suite("The queue of spans")
struct SpanQueueTests {
  static func spans(_ count: Int, bytes: Int = 0) -> [Span] {
    (0..<count).map { number in
      Span(
        instance: "i", trace: TraceID(high: 1, low: 1), id: UInt64(number + 1),
        name: String(repeating: "x", count: bytes), started: 0, ended: 1, attributes: [])
    }
  }

  static func queue(_ count: Int) -> SpanQueue {
    var queue = SpanQueue(.init(spans: 10, bytes: 10_000, batchSpans: 3, batchBytes: 1_000))
    _ = queue.add(spans(count))
    return queue
  }

  /// Answers a batch.
  static func settle(_ queue: inout SpanQueue, _ answer: SpanQueue.Answer, random: Double = 1) -> (
    Double, SpanQueue.Notice?
  ) {
    let result = queue.settle(queue.batch, answer, random: random)
    return (result.pause, result.notice)
  }

  @Test("Batches are bounded, and go in order")
  func batches() {
    var queue = Self.queue(7)
    var sent: [[UInt64]] = []
    while !queue.batch.isEmpty {
      sent.append(queue.batch.map(\.id))
      let (pause, notice) = Self.settle(&queue, .taken(refused: 0, message: ""))
      #expect(pause == 0)
      #expect(notice == nil)
    }
    #expect(sent == [[1, 2, 3], [4, 5, 6], [7]])
    #expect(queue.counts == .init(exported: 7))
    // Bounds a batch by bytes: it ends with the span that reaches the bound, and has at least one span.
    _ = queue.add(Self.spans(3, bytes: 600))
    _ = Self.settle(&queue, .taken(refused: 0, message: ""))
    #expect(queue.batch.count == 1)
    _ = Self.settle(&queue, .taken(refused: 0, message: ""))
    _ = queue.add(Self.spans(2, bytes: 4_000))
    #expect(queue.batch.count == 1)
  }

  @Test("A full queue drops the spans of a pass together, counts them, and says so once")
  func full() {
    var queue = Self.queue(8)
    #expect(queue.add(Self.spans(3)) == .overflowing)
    #expect(queue.add(Self.spans(3)) == nil)
    #expect(queue.counts == .init(overflowed: 6))
    #expect(queue.add(Self.spans(2)) == nil)
    #expect(queue.count == 10)
    #expect(queue.add(Self.spans(1)) == .overflowing)
    // The bytes are also bounded.
    var other = Self.queue(0)
    #expect(other.add(Self.spans(2, bytes: 5_000)) == .overflowing)
    #expect(other.add(Self.spans(1, bytes: 5_000)) == nil)
    #expect(other.add(Self.spans(1, bytes: 5_000)) == .overflowing)
    _ = Self.settle(&other, .taken(refused: 0, message: ""))
    #expect(other.add(Self.spans(1, bytes: 5_000)) == nil)
  }

  @Test("Pauses double up to 30 s, with jitter, and begin again after a success")
  func pauses() {
    var queue = Self.queue(7)
    var pauses: [Double] = []
    for _ in 0..<9 { pauses.append(Self.settle(&queue, .later(nil, reason: "down")).0) }
    #expect(pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30])
    #expect(Self.settle(&queue, .later(nil, reason: "down"), random: 0).0 == 15)
    #expect(queue.batch.map(\.id) == [1, 2, 3])
    _ = Self.settle(&queue, .taken(refused: 0, message: ""))
    #expect(Self.settle(&queue, .later(nil, reason: "down")).0 == 0.5)
  }

  @Test("The pause that a collector asks for is kept, within bounds")
  func wishes() {
    var queue = Self.queue(7)
    #expect(Self.settle(&queue, .later(7, reason: "busy")).0 == 7)
    #expect(Self.settle(&queue, .later(0, reason: "busy")).0 == 1)
    #expect(Self.settle(&queue, .later(1e9, reason: "busy")).0 == 300)
  }

  @Test("A failure is told once, and so is its end")
  func notices() {
    var queue = Self.queue(10)
    #expect(Self.settle(&queue, .later(nil, reason: "down")).1 == .failing("down"))
    #expect(Self.settle(&queue, .later(nil, reason: "busy")).1 == nil)
    #expect(Self.settle(&queue, .refused(reason: "wrong")).1 == .refusing("wrong"))
    #expect(Self.settle(&queue, .refused(reason: "wrong")).1 == nil)
    #expect(Self.settle(&queue, .taken(refused: 0, message: "")).1 == .resumed)
    #expect(Self.settle(&queue, .taken(refused: 0, message: "")).1 == nil)
  }

  @Test("What a collector refuses isn't sent again, and is counted")
  func refused() {
    var queue = Self.queue(10)
    #expect(Self.settle(&queue, .refused(reason: "wrong")) == (0, .refusing("wrong")))
    _ = Self.settle(&queue, .taken(refused: 2, message: "too old"))
    #expect(queue.counts == .init(exported: 1, refused: 5))
    // The collector reports more refused spans than were sent, or a negative number.
    _ = Self.settle(&queue, .taken(refused: 100, message: ""))
    #expect(queue.counts == .init(exported: 1, refused: 8))
    #expect(Self.settle(&queue, .taken(refused: -1, message: "slow down")).1 == .warned("slow down"))
    #expect(queue.counts == .init(exported: 2, refused: 8))
    #expect(queue.count == 0)
  }

  @Test("What is left at the end is counted")
  func abandoned() {
    var queue = Self.queue(7)
    #expect(queue.abandon() == 7)
    #expect(queue.counts == .init(abandoned: 7))
    #expect(queue.batch.isEmpty)
    #expect(queue.abandon() == 0)
  }
}
