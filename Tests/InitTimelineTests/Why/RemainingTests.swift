import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

struct RemainingTests {
  private func usual(_ running: [String: Double]) -> [Usual] {
    [
      Usual(
        phase: .launch, passes: 3, duration: 9,
        initializers: running.sorted { $0.key < $1.key }.map { Usual.Initializer(name: $0.key, running: $0.value) })
    ]
  }

  private func remaining(_ status: Status, _ running: [String: Double]) -> Remaining? {
    Situation(status, usual: usual(running)).remaining(of: .launch)
  }

  @Test("It is the longest chain that is left: what runs counts with its rest, what is complete with nothing")
  func chain() {
    let status = Status.fake(
      [
        .fake("done", .complete).ran(for: 1), .fake("now", .running, after: "done").ran(),
        .fake("next", .waiting, after: "now"), .fake("last", .waiting, after: "next", "done"),
        .fake("beside", .waiting, after: "done"),
      ], concurrency: 9)
    // It has run for 10 s.
    let rest = remaining(status, ["done": 100, "now": 14, "next": 2, "last": 3, "beside": 5])
    #expect(rest == Remaining(seconds: 4 + 2 + 3, isWhole: true))
  }

  @Test("It is never less than all the work that is left, shared by the places")
  func places() {
    let all = (1...6).map { Initializer.fake("i\($0)", .waiting) }
    let running = Dictionary(uniqueKeysWithValues: all.map { ($0.name, 2.0) })
    #expect(remaining(.fake(all, concurrency: 2), running)?.seconds == 6)
    #expect(remaining(.fake(all, concurrency: 12), running)?.seconds == 2)
  }

  @Test("A pause before the next attempt counts")
  func pause() {
    let retried = Initializer.fake("a", .waiting) {
      $0.nextAttempt = 1003
      $0.attempts = 3
    }
    #expect(remaining(.fake([retried]), ["a": 2])?.seconds == 5)
  }

  @Test("Without the usual duration of one that is left, it is a lower bound; without an earlier pass there is none")
  func unknown() {
    let status = Status.fake([.fake("a", .waiting), .fake("new", .waiting, after: "a")])
    #expect(remaining(status, ["a": 2]) == Remaining(seconds: 2, isWhole: false))
    #expect(Situation(status).remaining(of: .launch) == nil)
    let ended = Status.fake([.fake("a", .complete)], launch: Status.State(.complete, pass: 1))
    #expect(remaining(ended, ["a": 2]) == nil)
  }

  @Test("What runs longer than usual leaves nothing, and what the pass doesn't wait for counts as nothing")
  func late() {
    let status = Status.fake([.fake("a", .running).ran(), .fake("optional", .failed), .fake("b", .notRun)])
    #expect(remaining(status, ["a": 2, "optional": 8, "b": 8]) == Remaining(seconds: 0, isWhole: true))
    let next = Status.fake([.fake("a", .running).ran(), .fake("next", .waiting, after: "a")])
    #expect(remaining(next, ["a": 2, "next": 3]) == Remaining(seconds: 3, isWhole: true))
  }

  @Test("A chain of 50,000 and a cycle end")
  func deep() {
    let chain = (0..<50_000).map { Initializer.fake("\($0)", .waiting, after: "\($0 + 1)") }
    let running = Dictionary(uniqueKeysWithValues: chain.map { ($0.name, 0.001) })
    #expect(abs((remaining(.fake(chain), running)?.seconds ?? 0) - 50) < 0.01)
    let cycle = [Initializer.fake("a", .waiting, after: "b"), .fake("b", .waiting, after: "a")]
    #expect(remaining(.fake(cycle, concurrency: 2), ["a": 1, "b": 1])?.seconds == 2)
  }
}
