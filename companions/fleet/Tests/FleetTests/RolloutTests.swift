import Fleet
import Testing

@Suite("An order to many hosts")
struct RolloutTests {
  @Test("Some at a time, in the order of their names, to the last")
  func rolling() {
    var rollout = Rollout(to: ["c", "a", "b"], width: 2)
    let first = [rollout.next(), rollout.next()]
    #expect(first == [["a", "b"], []])
    let isRecorded = rollout.record(.complete, of: "b")
    let second = rollout.next()
    #expect(isRecorded && second == ["c"])
    _ = rollout.record(.complete, of: "a")
    #expect(!rollout.isOver)
    _ = rollout.record(.complete, of: "c")
    #expect(rollout.isOver && !rollout.hasFailed && rollout.waiting.isEmpty)
  }

  @Test("After a failure no further host gets one, and the open ones are waited for")
  func failure() {
    var rollout = Rollout(to: ["a", "b", "c", "d"], width: 2)
    _ = rollout.next()
    _ = rollout.record(.failed("no"), of: "a")
    let after = rollout.next()
    #expect(after.isEmpty && !rollout.isOver && rollout.open == ["b"])
    _ = rollout.record(.complete, of: "b")
    #expect(rollout.isOver && rollout.hasFailed)
    #expect(rollout.waiting == ["c", "d"])
    #expect(rollout.ends == ["a": .failed("no"), "b": .complete])
  }

  @Test("An end counts once, and only for a host that has an order")
  func ends() {
    var rollout = Rollout(to: ["a", "b"], width: 1)
    var isRecorded = [rollout.record(.complete, of: "a")]
    _ = rollout.next()
    isRecorded += [
      rollout.record(.complete, of: "b"), rollout.record(.complete, of: "a"), rollout.record(.failed("late"), of: "a"),
    ]
    #expect(isRecorded == [false, false, true, false])
    #expect(!rollout.hasFailed)
  }

  @Test("Random stories keep the invariants", arguments: 0..<200)
  func random(seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func die(_ sides: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % sides
    }
    let width = die(4) + 1
    var rollout = Rollout(to: (0..<die(12)).map { "h\($0)" }, width: width)
    var given: [String] = []
    while !rollout.isOver {
      let failedBefore = rollout.hasFailed
      let next = rollout.next()
      #expect(!failedBefore || next.isEmpty)
      given += next
      #expect(rollout.open.count <= width)
      guard let host = rollout.open.sorted().dropFirst(die(2)).first ?? rollout.open.first else { continue }
      let isRecorded = rollout.record(die(6) == 0 ? .failed("x") : .complete, of: host)
      #expect(isRecorded)
    }
    #expect(Set(given).count == given.count)
    #expect(given.count + rollout.waiting.count == rollout.ends.count + rollout.waiting.count)
    #expect(rollout.hasFailed || rollout.waiting.isEmpty)
  }
}
