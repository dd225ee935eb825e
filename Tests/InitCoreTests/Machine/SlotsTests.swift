import InitWords
import Testing

@testable import InitCore

/// S6: what waits takes no slot of the concurrency.
@Suite("Slots")
struct SlotsTests {
  @Test("S6: a process that starts and a wait take no slot, so the next initializer starts beside them")
  func beside() throws {
    var story = Story([
      (launch("db"), .process), (launch("net"), .waitFor), (launch("a"), .command), (launch("b"), .command),
    ])
    #expect(try story.tell(.started).filter { $0.hasPrefix("run") } == ["run 1 db", "run 2 net", "run 3 a"])
    #expect(try story.finish("db") == [])
    #expect(try story.finish("a") == ["run 4 b"])
    #expect(try story.finish("b") == [])
    #expect(try story.finish("net") == ["pass 1 launch complete", "launch complete"])
  }

  @Test("S6, S13, S16: it takes none while it stops, and none between two attempts")
  func stopping() throws {
    let db = launch("db").retry(2)
    var story = Story([
      (db, .process), (launch("net").optional(), .waitFor), (launch("a"), .command), (launch("b"), .command),
      (launch("c"), .command),
    ])
    _ = try story.tell(.started)
    #expect(try story.fail("db") == [])
    #expect(try story.finish("a") == ["run 4 b"])
    #expect(try story.tell(.runsCancelled(["net"], by: "ops")) == ["cancel 2 operator"])
    #expect(try story.finish("b") == ["run 5 c"])
    #expect(story.status("net") == .stopping && story.status("db") == .waiting)
  }

  @Test("S33: of its group, a process that starts takes a place")
  func group() throws {
    var grouped = Machine.Configuration()
    grouped.groups = ["g": 1]
    var story = Story(
      [(launch("db").group("g"), .process), (launch("a").group("g"), .command), (launch("b"), .command)], grouped)
    #expect(try story.tell(.started).filter { $0.hasPrefix("run") } == ["run 1 db", "run 2 b"])
    _ = try story.finish("b")
    #expect(try story.finish("db") == ["run 3 a"])
  }

  @Test("S6, S33: a process that became ready freed a place of its group, and none of the concurrency")
  func freed() throws {
    var grouped = Machine.Configuration()
    grouped.groups = ["g": 1]
    var story = Story(
      [(launch("db").group("g"), .process), (launch("web").group("g"), .process), (launch("a"), .command)], grouped)
    _ = try story.tell(.started)
    _ = try story.finish("db")
    _ = try story.finish("a")
    let effects = try story.world.take(.runFinished(run: 3, .success))
    let ended = effects.compactMap { if case .publish(.runEnded(let record)) = $0 { record } else { nil } }
    #expect(ended.map(\.initializer) == ["web"] && ended.map(\.freed?.initializer) == ["db"])
    #expect(ended.map(\.takesSlot) == [false])
  }

  @Test("S1: without an initializer of the active phase, the app is ready once launch is complete while it is inactive")
  func readyWithoutActivePhase() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    #expect(!story.machine.states.isReady)
    _ = try story.finish("a")
    #expect(story.machine.states.isReady)
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.states.isReady)
    _ = try story.tell(.deactivated)
    #expect(story.machine.states.isReady)
    // Another record is published, although no state has changed.
    let effects = try story.world.take(.reloaded(Reload(added: [.init(active("z"), .command)])))
    let records = effects.compactMap {
      if case .publish(.state(let record, let changed)) = $0 { (record, changed) } else { nil }
    }
    #expect(records.map(\.0.isReady) == [false] && records.map(\.1) == [[]])
    #expect(!story.machine.states.isReady)
    _ = try story.tell(.reloaded(Reload(removed: ["z"])))
    #expect(story.machine.states.isReady)
  }
}
