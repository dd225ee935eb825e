import TestSupport
import Testing

@testable import InitSupervisor

@Suite("S40: when changed files are looked at, and loops")
struct WatchTurnsTests {
  private var turns = WatchTurns<String>()

  private func at(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

  @Test("S40: hundreds of changes are one turn, 200 ms after the last one")
  mutating func quiet() {
    #expect(turns.deadline == nil)
    for time in 0..<500 { turns.recordChange(of: "web", at: at(time)) }
    #expect(turns.deadline == at(699))
    #expect(turns.takeQuiet(at: at(698)) == [])
    #expect(turns.takeQuiet(at: at(699)) == ["web"])
    #expect(turns.deadline == nil)
    #expect(turns.takeQuiet(at: at(900)) == [])
  }

  @Test("S40: what changes at about the same time has its turn together")
  mutating func together() {
    turns.recordChange(of: "migrate", at: at(0))
    turns.recordChange(of: "web", at: at(150))
    #expect(turns.deadline == at(350))
    #expect(turns.takeQuiet(at: at(350)) == ["migrate", "web"])
  }

  @Test("S40: what is quiet waits at most a second for what is not")
  mutating func patience() {
    turns.recordChange(of: "web", at: at(0))
    for time in stride(from: 0, through: 1200, by: 50) { turns.recordChange(of: "build", at: at(time)) }
    #expect(turns.deadline == at(1200))
    #expect(turns.takeQuiet(at: at(1200)) == ["web"])
    #expect(turns.deadline == at(1400))
  }

  /// Lets something change, and have its turn 200 ms later.
  private mutating func change(_ thing: String = "web", at time: Int) -> WatchTurns<String>.Verdict? {
    turns.recordChange(of: thing, at: at(time))
    return turns.takeQuiet(at: at(time + 200)).contains(thing) ? turns.decide(thing, at: at(time + 200)) : nil
  }

  @Test("S40: the sixth turn in 10 s waits until the files have been quiet for 10 s, and is reported once")
  mutating func loop() {
    for time in stride(from: 0, to: 5000, by: 1000) { #expect(change(at: time) == .turn) }
    #expect(change(at: 5000) == .later(isNew: true))
    // It is in a loop: another change prolongs the wait.
    turns.recordChange(of: "web", at: at(6000))
    #expect(turns.takeQuiet(at: at(15_999)) == [])
    #expect(turns.deadline == at(16_000))
    #expect(turns.takeQuiet(at: at(16_000)) == ["web"])
    #expect(turns.decide("web", at: at(16_000)) == .turn)
    // The turn has changed the files again: the loop goes on.
    #expect(change(at: 16_100) == nil)
    #expect(turns.deadline == at(26_100))
    #expect(turns.takeQuiet(at: at(26_100)) == ["web"])
    #expect(turns.decide("web", at: at(26_100)) == .turn)
    // A change long after the last turn isn't part of a loop.
    #expect(change(at: 40_000) == .turn)
  }

  @Test("S40: a loop of one thing delays no other one")
  mutating func others() {
    for time in stride(from: 0, to: 5000, by: 1000) { #expect(change(at: time) == .turn) }
    #expect(change(at: 5000) == .later(isNew: true))
    #expect(change("api", at: 5100) == .turn)
  }

  @Test("S40: six turns in more than 10 s are no loop")
  mutating func slow() {
    for time in stride(from: 0, to: 40_000, by: 2500) { #expect(change(at: time) == .turn) }
  }

  @Test("S40: what isn't watched any more is forgotten")
  mutating func forgotten() {
    turns.recordChange(of: "web", at: at(0))
    turns.forget("web")
    #expect(turns.deadline == nil)
  }

  @Test(
    "S40: random changes: no turn while files change, at most 5 in 10 s, and each change is looked at",
    arguments: 0..<200)
  mutating func walks(_ seed: Int) {
    var numbers = SeededGenerator(seed: UInt64(seed))
    var time = 0
    var changed: [String: Int] = [:]
    var done: [String: [Int]] = [:]
    for _ in 0..<200 {
      time += Int.random(in: 0...700, using: &numbers)
      // Everything that is due before the next change happens first.
      while let deadline = turns.deadline, deadline <= at(time) {
        let taken = turns.takeQuiet(at: deadline)
        #expect(!taken.isEmpty)
        for thing in taken {
          let now = Int(deadline / .milliseconds(1))
          #expect(now - (changed[thing] ?? now) >= 200)
          switch turns.decide(thing, at: deadline) {
          case .turn:
            changed[thing] = nil
            done[thing, default: []].append(now)
            #expect(done[thing, default: []].count { $0 > now - 10_000 } <= 5)
          case .later: #expect(turns.deadline != nil)
          }
        }
      }
      let thing = ["a", "b", "c"].randomElement(using: &numbers) ?? ""
      turns.recordChange(of: thing, at: at(time))
      changed[thing] = time
    }
    // Once nothing changes any more, everything has its turn.
    while let deadline = turns.deadline {
      for thing in turns.takeQuiet(at: deadline) where turns.decide(thing, at: deadline) == .turn {
        changed[thing] = nil
      }
    }
    #expect(changed.isEmpty)
  }
}
