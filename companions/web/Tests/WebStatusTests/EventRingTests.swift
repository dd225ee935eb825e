import Testing

@testable import WebStatus

@Suite("Events for readers")
struct EventRingTests {
  private func numbers(_ batch: EventRing.Batch) -> [Int]? {
    if case .events(let entries) = batch { entries.map(\.number) } else { nil }
  }

  @Test("A reader gets each event once, after its position; without one it begins with a snapshot")
  func order() {
    var ring = EventRing(id: "r")
    #expect(ring.next(after: nil) == .snapshot(0))
    for number in 1...3 { ring.add("x", json: "\(number)") }
    #expect(numbers(ring.next(after: 0)) == [1, 2, 3])
    #expect(numbers(ring.next(after: 2)) == [3])
    #expect(numbers(ring.next(after: 3)) == [])
    #expect(ring.next(after: 4) == .snapshot(3))
    guard case .events(let entries) = ring.next(after: 2) else { return }
    #expect(entries[0].text == "id: r.3\nevent: x\ndata: 3\n\n")
  }

  @Test("Positions of another process, and texts that aren't positions, are unknown")
  func positions() {
    var ring = EventRing(id: "r")
    ring.add("x", json: "1")
    #expect(ring.position("r.1") == 1 && ring.position("r.0") == 0)
    for bad in ["", "r", "r.", "r.2", "r.-1", "q.1", "r.1.1", "r.99999999999999999999"] {
      #expect(ring.position(bad) == nil, "\(bad)")
    }
  }

  @Test(
    "Only the last events are kept, by number and by bytes; who is further back gets a snapshot", arguments: 1...200)
  func bounds(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    var ring = EventRing(id: "r", limit: (8, 400))
    var all: [String] = []
    for number in 1...60 {
      if random.next() % 9 == 0 {
        ring.skip()
        all = []
      } else {
        ring.add("x", json: String(repeating: "y", count: Int(random.next() % 90)))
        all.append("\(number)")
      }
      let position = Int(random.next() % UInt64(number + 1))
      switch ring.next(after: position) {
      case .events(let entries): #expect(entries.map(\.number) == Array(position + 1..<number + 1))
      case .snapshot(let last):
        #expect(last == number && position < number)
        // A snapshot comes only if an event is gone.
        let texts = all.suffix(number - position)
        #expect(texts.count < number - position || texts.count > 8 || number - position > 2)
      }
    }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }
}
