import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("What got slower or faster")
struct ComparisonTests {
  private func summary(_ number: Int, _ duration: Double, _ running: [String: Double]) -> Pass.Times {
    Pass.Times(
      pass: number, phase: .launch, outcome: .complete, started: Double(number), held: 0, duration: duration,
      initializers: running.sorted { $0.key < $1.key }.map {
        Pass.InitializerTimes(
          name: $0.key, outcome: .complete, attempts: 1, waited: 0, queued: 0, running: $0.value, backoff: 0,
          finished: $0.value)
      })
  }

  @Test("The largest absolute change comes first; equal ones by name; those in one pass only come last")
  func order() {
    let before = summary(1, 3, ["same": 1, "slower": 1, "faster": 3, "gone": 0.2, "also-same": 1])
    let after = summary(2, 2, ["same": 1, "slower": 1.5, "faster": 1, "new": 0.3, "also-same": 1])
    let comparison = Comparison(.init(before), with: .init(after))
    #expect((comparison.before, comparison.after) == (3, 2))
    #expect(comparison.rows.map(\.name) == ["faster", "slower", "also-same", "same", "new", "gone"])
    #expect(comparison.rows.map(\.before) == [3, 1, 1, 1, nil, 0.2])
    #expect(comparison.rows.map(\.after) == [1, 1.5, 1, 1, 0.3, nil])
    #expect(comparison.rows.map(\.difference) == [nil, nil, nil, nil, .onlyAfter, .onlyBefore])
    #expect(!comparison.isComparable)
  }

  @Test("What failed in each of the earlier passes is known in their medians")
  func medianOfFailures() throws {
    var passes = [summary(1, 3, ["a": 1, "fails": 1]), summary(2, 3, ["a": 1, "fails": 2])]
    for place in passes.indices { passes[place].initializers[1].outcome = .known(.failed) }
    let usual = try #require(Usual(of: .launch, in: passes.compactMap(CompletePass.init)))
    let now = summary(3, 3, ["a": 1, "fails": 4, "new": 1])
    let rows = Comparison(.init(usual, of: passes), with: .init(now)).rows
    #expect(rows.map(\.name) == ["a", "fails", "new"])
    #expect(rows.map(\.before) == [1, 2, nil])
    #expect(rows.map(\.difference) == [nil, .unfinished(before: true, after: false), .onlyAfter])
  }

  @Test("What failed isn't compared, even if it always fails; the passes can be compared if the same completed")
  func failing() {
    var passes = [summary(1, 3, ["a": 1, "fails": 1]), summary(2, 4, ["a": 2, "fails": 9])]
    func fail(_ pass: Int) {
      passes[pass].initializers[1].outcome = .known(.failed)
    }
    func differences() -> [Comparison.Difference?] {
      Comparison(.init(passes[0]), with: .init(passes[1])).rows.map(\.difference)
    }
    #expect(differences() == [nil, nil])
    fail(1)
    #expect(differences() == [nil, .unfinished(before: false, after: true)])
    #expect(!Comparison(.init(passes[0]), with: .init(passes[1])).isComparable)
    fail(0)
    let both = Comparison(.init(passes[0]), with: .init(passes[1]))
    #expect(both.rows.map(\.name) == ["a", "fails"])
    #expect(both.rows[1].difference == .unfinished(before: true, after: true))
    #expect(both.isComparable)
    passes[1].outcome = .known(.failed)
    #expect(!Comparison(.init(passes[0]), with: .init(passes[1])).isComparable)
  }

  @Test("Usual is what whole passes took, not those that found all complete or retried a part")
  func wholePasses() throws {
    let whole = summary(1, 4, ["a": 1, "b": 1, "c": 2])
    let passes = [whole, summary(2, 0, [:]), summary(3, 1, ["c": 1]), summary(4, 0, [:])]
    let usual = try #require(Usual(of: .launch, in: passes.compactMap(CompletePass.init)))
    #expect((usual.duration, usual.passes) == (4, 1))
    #expect(usual.initializers.first { $0.name == "c" }?.running == 1.5)
    #expect(Usual(of: .launch, in: [summary(2, 0, [:])].compactMap(CompletePass.init)) == nil)
  }

  @Test("Usual is what complete passes of the phase and their complete initializers took")
  func completeOnly() throws {
    var failed = summary(2, 9, ["a": 9])
    failed.outcome = .known(.failed)
    var active = summary(3, 7, ["a": 7])
    active.phase = .known(.active)
    var partly = summary(4, 1, ["a": 1, "optional": 50])
    partly.initializers[1].outcome = .known(.failed)
    let passes = [summary(1, 1, ["a": 1]), failed, active, partly].compactMap(CompletePass.init)
    let usual = try #require(Usual(of: .launch, in: passes))
    #expect((usual.duration, usual.passes) == (1, 2))
    #expect(usual.initializers.map(\.name) == ["a"])
    #expect(Usual(of: .active, in: passes)?.duration == 7)
  }

  @Test("A pass is whole if it ran at least half as many initializers as the largest")
  func half() throws {
    let whole = summary(1, 4, ["a": 1, "b": 1, "c": 1, "d": 1])
    for (names, passes) in [(["a", "b"], 2), (["a"], 1)] {
      let part = summary(2, 2, Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
      let usual = try #require(Usual(of: .launch, in: [whole, part].compactMap(CompletePass.init)))
      #expect((usual.passes, usual.duration) == (passes, passes == 2 ? 3 : 4))
    }
  }

  @Test("Medians of several passes can be compared, and an initializer that still waits doesn't count")
  func medians() throws {
    let earlier = [summary(1, 1, ["a": 1]), summary(2, 9, ["a": 9]), summary(3, 2, ["a": 2])]
    let usual = try #require(Usual(of: .launch, in: earlier.compactMap(CompletePass.init)))
    var after = summary(4, 3, ["a": 2.5, "b": 0])
    after.initializers[1].attempts = 0
    let comparison = Comparison(.init(usual, of: []), with: .init(after))
    #expect((comparison.before, comparison.after) == (2, 3))
    #expect(comparison.rows.map(\.name) == ["a"])
    #expect(comparison.rows[0].change == 0.5)
  }
}
