import Testing

@testable import InitSupervisor

@Suite("ReloadQueue")
struct ReloadQueueTests {
  @Test("Requests that arrive during a reading share the next one, whoever sends them")
  func rounds() {
    var queue = ReloadQueue<String>()
    #expect(queue.add("a", of: 1))
    #expect(!queue.isReading && queue.hasWaiting)
    #expect(queue.begin() == ["a"])
    #expect(queue.isReading && !queue.hasWaiting)
    #expect(queue.add("b", of: 1) && queue.add("c", of: 2))
    #expect(queue.end() == ["a"])
    #expect(!queue.isReading && queue.hasWaiting)
    #expect(queue.begin() == ["b", "c"])
    #expect(queue.end() == ["b", "c"])
    #expect(queue.end() == [])
  }

  @Test("A user whose requests are too many leaves room for those of others")
  func bounds() {
    var queue = ReloadQueue<Int>()
    for number in 0..<ReloadQueue<Int>.mostOfUser { #expect(queue.add(number, of: 1)) }
    #expect(!queue.add(-1, of: 1))
    #expect(queue.add(99, of: 2))
    #expect(queue.begin().count == ReloadQueue<Int>.mostOfUser + 1)
    #expect(queue.add(-1, of: 1))
  }
}
