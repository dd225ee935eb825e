import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

extension Pass.Run {
  /// A run of launch that depends on nothing unless that is changed.
  static func fake(
    _ run: Int, _ name: String, from started: Double, for duration: Double?, _ outcome: OutcomeName? = .complete,
    after waitedFor: [String] = [], attempt: Int = 1, of attempts: Int? = nil,
    _ change: (inout Pass.Run) -> Void = { _ in }
  ) -> Pass.Run {
    var shape = Pass.Run(
      run: run, initializer: name, attempt: attempt, attempts: attempts, ready: started, started: started,
      duration: duration, outcome: duration == nil ? nil : outcome, waitedFor: waitedFor)
    change(&shape)
    return shape
  }
}

extension Pass {
  /// A launch pass that started and opened at 0.
  static func fake(
    _ runs: [Pass.Run], for duration: Double?, _ outcome: OutcomeName? = .complete, concurrency: Int? = nil
  ) -> Pass {
    Pass(
      pass: 1, phase: .launch, started: 0, opened: 0, duration: duration, outcome: duration == nil ? nil : outcome,
      concurrency: concurrency, runs: runs)
  }
}

@Suite("Where the time of an initializer went")
struct InitializerTimelineTests {
  @Test("Recorded times that contradict each other, e.g. because they are rounded, give no negative part")
  func rounded() {
    let early = Pass.Run.fake(1, "a", from: 5, for: 1) { $0.ready = 5.000_001 }
    #expect(InitializerTimeline([early], opened: 4, now: 9).queued == 0)
    let before = Pass.Run.fake(1, "a", from: 5, for: 1) { $0.ready = 3 }
    #expect(InitializerTimeline([before], opened: 4, now: 9).waited == 0)
    let future = InitializerTimeline([.fake(1, "a", from: 5, for: nil)], opened: 4, now: 4.999)
    #expect((future.running, future.ended) == (0, 5))
  }

  @Test("One that waits was ready within the pass: not before its opening, and not after the present")
  func waiting() {
    let parts = ([3, 5, 9, nil] as [Double?]).map { ready in
      let each = InitializerTimeline(waiting: "a", opened: 4, ready: ready, now: 6)
      return [each.waited, each.queued]
    }
    #expect(parts == [[0, 2], [1, 1], [2, 0], [2, 0]])
  }

  @Test(
    "A failed attempt is followed by another only if attempts are left and the pass goes on",
    arguments: [
      (1, 2, nil, .waiting), (2, 2, nil, .failed), (1, nil, nil, .failed), (1, 2, 3, .failed),
    ] as [(Int, Int?, Double?, InitializerStatus)])
  func attempts(attempt: Int, of attempts: Int?, pass duration: Double?, outcome: InitializerStatus) throws {
    let run = Pass.Run.fake(1, "a", from: 1, for: 1, .failed, attempt: attempt, of: attempts)
    let timeline = Timeline(.fake([run], for: duration, .failed), now: 3)
    let each = try #require(timeline.initializers.first)
    #expect(each.outcome == outcome)
    #expect(each.ended == (outcome == .waiting ? 3 : 2))
    #expect(each.backoff == (outcome == .waiting ? 1 : 0))
  }

  @Test("Initializers are in the order of their first runs; those that started together in that of their numbers")
  func order() {
    let runs = [
      Pass.Run.fake(3, "c", from: 1, for: 1), .fake(2, "b", from: 1, for: 1), .fake(4, "a", from: 0, for: 1),
    ]
    #expect(Timeline(.fake(runs, for: 2), now: 9).initializers.map(\.name) == ["a", "b", "c"])
  }

  @Test("The present of a pass in flight isn't before the end of a run that it has, even if the Status is older")
  func latest() {
    let runs = [Pass.Run.fake(1, "a", from: 998, for: 4), .fake(2, "b", from: 1001, for: nil)]
    #expect(Timeline(.fake(runs, for: nil), status: .fake([])).now == 1002)
    #expect(Timeline(.fake([], for: nil), status: .fake([])).now == 1000)
  }

  @Test("A pass that is recorded as opened after its end took no time")
  func openedLate() {
    var pass = Pass.fake([], for: 1, .cancelled)
    pass.opened = 1.5
    let timeline = Timeline(pass, now: 9)
    #expect((timeline.opened, timeline.duration, timeline.held) == (1, 0, 1))
  }

  @Test("A pass that hasn't opened says what it waits for, and one that has says nothing")
  func delay() {
    var pass = Pass.fake([], for: nil)
    #expect(Timeline(pass, now: 3).delay == nil)
    pass.opened = nil
    #expect(Timeline(pass, now: 3).delay == "has waited 3 s, and has not opened yet")
    pass.phase = .known(.active)
    #expect(Timeline(pass, now: 3).delay == "has waited 3 s for launch, and has not opened yet")
    pass.duration = 2
    #expect(Timeline(pass, now: 3).delay == nil)
  }
}
