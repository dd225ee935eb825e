import Passes
import Testing

@testable import PassStore

@Suite("Passes that wait for the history")
struct PassBacklogTests {
  /// Creates a pass with that many runs.
  private func pass(_ number: Int, runs: Int) -> EndedPass {
    var pass = EndedPass.example(number, running: [:])
    pass.runs = (0..<runs).map {
      EndedRun(number: $0, initializer: "a", ready: 0, started: 0, duration: 0, outcome: .complete)
    }
    return pass
  }

  @Test("They are stored in their order, at most 32 at a time")
  func order() {
    var backlog = PassBacklog()
    for number in 1...40 { backlog.add(pass(number, runs: 1)) }
    #expect(backlog.next.map(\.number) == Array(1...32))
    backlog.remove(backlog.next)
    #expect(backlog.next.map(\.number) == Array(33...40))
    backlog.remove(backlog.next)
    #expect((backlog.count, backlog.dropped) == (0, 0))
  }

  @Test("The oldest are dropped if there are too many records; the newest stays, however large")
  func bounded() {
    var backlog = PassBacklog()
    for number in 1...7 { backlog.add(pass(number, runs: 9_999)) }
    #expect(backlog.next.map(\.number) == [3, 4, 5, 6, 7])
    #expect(backlog.dropped == 2)
    backlog.add(pass(8, runs: 100_000))
    #expect(backlog.next.map(\.number) == [8])
    #expect(backlog.dropped == 7)
    backlog.add(pass(9, runs: 1))
    #expect(backlog.next.map(\.number) == [9])
  }

  @Test("A pass that is stored after all isn't lost")
  func stored() {
    var backlog = PassBacklog()
    backlog.add(pass(1, runs: 1))
    let writing = backlog.next
    backlog.add(pass(2, runs: 50_000))
    #expect(backlog.dropped == 1)
    backlog.remove(writing)
    #expect((backlog.count, backlog.dropped) == (1, 0))
  }
}
