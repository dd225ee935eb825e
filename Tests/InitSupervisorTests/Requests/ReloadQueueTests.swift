import Testing

@testable import InitSupervisor

@Suite("ReloadQueue")
struct ReloadQueueTests {
  @Test("Requests that arrive during a reading share the next one, whoever sends them")
  func rounds() {
    var queue = ReloadQueue<String>()
    var added = [queue.add("a", of: 1)]
    #expect(!queue.isReading && queue.hasWaiting)
    let first = queue.begin()
    #expect(queue.isReading && !queue.hasWaiting)
    added += [queue.add("b", of: 1), queue.add("c", of: 2)]
    let ended = queue.end()
    #expect(!queue.isReading && queue.hasWaiting)
    let second = queue.begin()
    #expect(added == [true, true, true])
    #expect([first, ended, second, queue.end(), queue.end()] == [["a"], ["a"], ["b", "c"], ["b", "c"], []])
  }

  @Test("A user whose requests are too many leaves room for those of others")
  func bounds() {
    let most = ReloadQueue<Int>.mostOfUser
    var queue = ReloadQueue<Int>()
    let added = (0...most).map { queue.add($0, of: 1) }
    #expect(added == Array(repeating: true, count: most) + [false])
    let other = queue.add(most, of: 2)
    let demands = queue.begin()
    #expect(other && demands == Array(0...most))
    let next = queue.add(-1, of: 1)
    #expect(next, "the places are free when the reading begins")
  }
}
