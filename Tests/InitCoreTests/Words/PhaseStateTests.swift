import InitWords
import Testing

@testable import InitCore

@Suite("Phase states")
struct PhaseStateTests {
  private static let broken = PhaseState.failed(.duplicateInitializer("a"))
  private static let alsoBroken = PhaseState.failed(.duplicateInitializer("z"))

  @Test(
    "S1: the composite is launch's error, else active's, else complete if both are, else pending",
    arguments: [
      (PhaseState.pending, PhaseState.pending, PhaseState.pending), (.pending, .complete, .pending),
      (.complete, .pending, .pending), (.complete, .complete, .complete), (broken, .pending, broken),
      (broken, .complete, broken), (.pending, alsoBroken, alsoBroken), (.complete, alsoBroken, alsoBroken),
      (broken, alsoBroken, broken),
    ])
  func composite(launch: PhaseState, active: PhaseState, expected: PhaseState) {
    #expect(PhaseState.composite(launch: launch, active: active) == expected)
  }

  @Test("S1: the changes between two records: another error is one, another pass number alone isn't")
  func changes() {
    let old = StateRecord(
      launch: .init(state: .complete, pass: 1), active: .init(state: .complete, pass: 2), lifecycle: .active)
    var new = old
    new.active.pass = 3
    #expect(new.changes(since: old) == [])
    new.lifecycle = .inactive
    #expect(new.changes(since: old) == [.lifecycle])
    new.active.state = Self.broken
    #expect(new.changes(since: old) == [.active, .composite, .lifecycle])
    var newer = new
    newer.active.state = Self.alsoBroken
    #expect(newer.changes(since: new) == [.active, .composite])
    newer.launch.state = .pending
    #expect(newer.changes(since: old) == [.launch, .active, .composite, .lifecycle])
  }
}
