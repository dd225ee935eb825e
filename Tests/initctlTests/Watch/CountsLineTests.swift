import InitModel
import InitTimeline
import InitWire
import InitWords
import Testing

@testable import initctl

struct CountsLineTests {
  private func text(_ status: Status, usual: [Usual] = []) -> String {
    CountsLine(Situation(status, usual: usual)).text
  }

  private static let usual = [
    Usual(
      phase: .launch, passes: 1, duration: 9,
      initializers: ["menu", "toggles", "late", "chained"].map { Usual.Initializer(name: $0, running: 6) })
  ]

  @Test("It estimates the rest of a pass in flight from earlier ones")
  func rest() {
    #expect(text(.each, usual: Self.usual).hasSuffix("10 s, about 9.5 s left"))
    let late = Status.launching([.fake("menu", .running, phase: .launch, started: 990)])
    #expect(text(late, usual: Self.usual).hasSuffix("10 s, longer than usual"))
    let unknown = Status.launching([.fake("menu", .running, phase: .launch, started: 999), .fake("new", .waiting)])
    #expect(text(unknown, usual: Self.usual).hasSuffix("1 s, at least 5 s left"))
  }

  @Test("It is about launch until that is complete, then about active")
  func phases() {
    var status = Status.each
    status.initializers.append(.fake("session", .idle))
    status.initializers[7].priority = .known(.appActive)
    status.launch = Status.State(.pending)
    #expect(text(status) == "launch not started: 2 of 7 complete, 1 running, 1 retrying, 1 failed")
    status.launch = Status.State(.failed, pass: 1)
    #expect(text(status).hasPrefix("launch pass 1 failed: 2 of 7 complete, 1 running, 1 retrying, 1 failed, "))
    status.launch = Status.State(.complete, pass: 1)
    status.active = Status.State(.pending, pass: 3)
    #expect(text(status).hasPrefix("active pass 3: 0 of 1 complete"))
    status.active = Status.State(.pending)
    status.lifecycle = .known(.inactive)
    #expect(text(status).hasPrefix("launch pass 1 complete: 2 of 7"))
  }

  @Test("An ended pass shows how long it took")
  func ended() {
    var status = Status.launching([
      .fake("a", .complete, started: 990, duration: 2), .fake("b", .complete, started: 991, duration: 4),
    ])
    status.launch = Status.State(.complete, pass: 1)
    status.active = Status.State(.pending)
    status.lifecycle = .known(.inactive)
    #expect(text(status) == "launch pass 1 complete: 2 of 2, 0 running, 0 retrying, 0 failed, 5 s")
  }

  @Test("After deactivate it says that the pass was cancelled, without an estimate, and its time stands still")
  func cancelled() {
    var status = Status.launching([
      .fake("a", .cancelled, phase: .active, started: 990, duration: 2), .fake("b", .idle),
    ])
    for place in status.initializers.indices {
      status.initializers[place].priority = .known(.appActive)
      status.initializers[place].pass = 3
    }
    status.launch = Status.State(.complete, pass: 1)
    status.active = Status.State(.pending, pass: 3)
    status.lifecycle = .known(.inactive)
    status.inFlight = []
    let usual = [
      Usual(phase: .active, passes: 1, duration: 9, initializers: [Usual.Initializer(name: "a", running: 60)])
    ]
    #expect(
      text(status, usual: usual) == "active pass 3 cancelled: 0 of 2 complete, 0 running, 0 retrying, 0 failed, 2 s")
    // A cancelled pass whose runs are still stopping is in flight.
    status.inFlight = [Status.PassInFlight(pass: 3, phase: .active, opened: 990)]
    #expect(text(status, usual: usual).hasPrefix("active pass 3: 0 of 2 complete"))
    #expect(text(status, usual: usual).contains(", 10 s"))
  }

  @Test("What failed, runs or is retried in the other phase isn't counted")
  func otherPhase() {
    var status = Status.each
    status.initializers.append(.fake("session", .failed, phase: .active, started: 999, duration: 0.5))
    status.initializers[7].priority = .known(.appActive)
    status.launch = Status.State(.complete, pass: 1)
    status.active = Status.State(.failed, pass: 2)
    #expect(text(status).hasPrefix("active pass 2 failed: 0 of 1 complete, 0 running, 0 retrying, 1 failed"))
    status.launch = Status.State(.failed, pass: 1)
    #expect(text(status).hasPrefix("launch pass 1 failed: 2 of 7 complete, 1 running, 1 retrying, 1 failed"))
  }

  @Test("It is divided between its parts if it is too long")
  func lines() {
    let lines = CountsLine(Situation(.each)).lines(40).map(\.plain)
    #expect(lines == ["launch pass 1: 2 of 7 complete,", "1 running, 1 retrying, 1 failed, 10 s"])
    // A duration doesn't jump from line to line.
    #expect(CountsLine(Situation(.each)).lines(71).count == 2)
    #expect(CountsLine(Situation(.each)).lines(72).count == 1)
    #expect(CountsLine(Situation(.each)).lines(200).count == 1)
  }
}
