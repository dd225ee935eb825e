import Testing

@testable import EventLoop

@Suite("Due timers and what is ready")
struct TimerPatienceTests {
  private var patience = TimerPatience()

  @Test("If nothing is ready, timers fire at once; late ones after a further poll")
  mutating func idle() {
    let holds = [
      patience.holdsTimers(due: 100, at: 100, turn: 1) { false },
      patience.holdsTimers(due: 200, at: 202, turn: 2) { false },
      patience.holdsTimers(due: 300, at: 303, turn: 3) { false },
      patience.holdsTimers(due: 300, at: 304, turn: 4) { false },
    ]
    #expect(holds == [false, false, true, false])
  }

  @Test("Timers wait while something is ready, and for one more turn, whose poll may find more")
  mutating func ready() {
    let holds = [true, true, false, false].enumerated().map { turn, isReady in
      patience.holdsTimers(due: 100, at: 1000 + UInt64(turn), turn: turn) { isReady }
    }
    #expect(holds == [true, true, true, false])
  }

  @Test(
    "A flood delays timers by as long as they were late, at least 2 ms and at most 2 s",
    arguments: [(0, 2), (1, 2), (5, 5), (500, 500), (1999, 1999), (2000, 2000), (60_000, 2000)] as [(UInt64, UInt64)])
  mutating func flood(late: UInt64, most: UInt64) {
    let start = 100 + late
    let waited = (0...3000).first { waited in
      !patience.holdsTimers(due: 100, at: start + UInt64(waited), turn: waited) { true }
    }
    #expect(waited == Int(most))
  }

  @Test("If the process was stopped while timers waited, those that became due in the meantime wait, too")
  mutating func stoppedProcess() {
    let holds = [
      patience.holdsTimers(due: 100, at: 110, turn: 1) { true },
      patience.holdsTimers(due: 100, at: 9000, turn: 2) { true },
      patience.holdsTimers(due: 8000, at: 9000, turn: 2) { true },
      patience.holdsTimers(due: 8500, at: 9000, turn: 2) { true },
    ]
    #expect(holds == [true, false, true, true])
  }

  @Test("If a timer waits, those after it in the same turn do, without asking again")
  mutating func order() {
    var asked = 0
    let first = patience.holdsTimers(due: 100, at: 200, turn: 7) {
      asked += 1
      return true
    }
    let second = patience.holdsTimers(due: 150, at: 200, turn: 7) {
      asked += 1
      return false
    }
    #expect(first && second && asked == 1)
  }

  @Test("A timer that is due when a waiting one starts again doesn't overtake it")
  mutating func overtakes() {
    let holds = [
      patience.holdsTimers(due: 100, at: 110, turn: 1) { false },
      patience.holdsTimers(due: 111, at: 111, turn: 2) { false },
      patience.holdsTimers(due: 100, at: 111, turn: 2) { false },
      patience.holdsTimers(due: 111, at: 112, turn: 3) { false },
    ]
    #expect(holds == [true, true, false, false])
  }

  @Test("A waiting timer that is stopped delays later ones by one turn")
  mutating func stoppedTimer() {
    let holds = [
      patience.holdsTimers(due: 100, at: 110, turn: 1) { false },
      patience.holdsTimers(due: 111, at: 111, turn: 2) { false },
      patience.holdsTimers(due: 111, at: 112, turn: 3) { false },
    ]
    #expect(holds == [true, true, false])
  }

  @Test("Timers that become due while others wait wait no longer than those")
  mutating func joins() {
    let holds = [
      patience.holdsTimers(due: 100, at: 110, turn: 1) { true },
      patience.holdsTimers(due: 119, at: 119, turn: 2) { true },
      patience.holdsTimers(due: 119, at: 120, turn: 3) { true },
    ]
    #expect(holds == [true, true, false])
  }

  @Test("If the timers that waited are stopped, the next one waits for itself")
  mutating func stopped() {
    let holds = [
      patience.holdsTimers(due: 100, at: 110, turn: 1) { true },
      patience.holdsTimers(due: 900, at: 910, turn: 2) { true },
      patience.holdsTimers(due: 900, at: 919, turn: 3) { true },
      patience.holdsTimers(due: 900, at: 920, turn: 4) { true },
      patience.holdsTimers(due: 2000, at: 2000, turn: 5) { false },
    ]
    #expect(holds == [true, true, true, false, false])
  }
}
