import InitModel
import InitWire
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("What the runs of a pass need")
struct WorkloadTests {
  /// Runs on two cores, as `name, start, duration, CPU time`.
  private func workload(
    _ runs: [(String, Double, Double, Double?)], cores: Double? = 2, busy: Double? = nil, processes: Double? = nil
  ) -> (workload: Workload, needs: Workload.Needs, demands: [String: Demand]) {
    let shapes = runs.enumerated().map { number, run in
      Pass.Run.fake(number + 1, run.0, from: run.1, for: run.2) { $0.cpu = run.3 }
    }
    var pass = Pass.fake(shapes, for: runs.reduce(0) { max($0, $1.1 + $1.2) }, concurrency: 8)
    pass.cores = cores
    pass.busy = busy
    pass.processes = processes
    let workload = Workload(ExecutedGraph(Timeline(pass, now: 99)), pass)
    let needs = workload.needs()
    let names = Dictionary(uniqueKeysWithValues: runs.enumerated().map { ($0.offset + 1, $0.element.0) })
    return (
      workload, needs, Dictionary(uniqueKeysWithValues: needs.demands.map { (names[$0.key] ?? "", $0.value) })
    )
  }

  @Test("One after another, what isn't CPU time is waiting")
  func alone() throws {
    let demands = workload([("a", 0, 2, 1.5), ("b", 2, 1, 0.01), ("c", 3, 1, nil)]).demands
    let a = try #require(demands["a"])
    let b = try #require(demands["b"])
    #expect(abs(a.computing - 1.5) < 0.01 && abs(a.waiting - 0.5) < 0.01)
    #expect(abs(b.computing - 0.01) < 0.01 && abs(b.waiting - 0.99) < 0.01)
    #expect(demands["c"] == nil)
  }

  @Test("Four that together used up two cores waited for them, and one beside them that hardly computes did not")
  func together() throws {
    let runs = ["a", "b", "c", "d"].map { ($0, 0.0, 4.0, Optional(1.97)) } + [("sleeper", 0.0, 4.0, Optional(0.02))]
    let demands = workload(runs).demands
    for name in ["a", "b", "c", "d"] {
      let demand = try #require(demands[name])
      #expect(abs(demand.computing - 1.97 / (1 + CoreSharing.costOfCompany)) < 0.05)
      #expect(demand.waiting < 0.3)
    }
    #expect(try #require(demands["sleeper"]).waiting > 3.8)
  }

  @Test("One that got more of the cores than the others beside it has more threads")
  func threads() throws {
    // On two cores, five threads: each gets 0.4 of them.
    let runs = [("web", 0.0, 5.0, Optional(4.0))] + ["a", "b", "c"].map { ($0, 0.0, 5.0, Optional(2.0)) }
    let demands = workload(runs).demands
    let cost = 1 + CoreSharing.costOfCompany
    for (name, threads) in [("web", 2), ("a", 1), ("b", 1), ("c", 1)] {
      let demand = try #require(demands[name])
      #expect(demand.threads == threads)
      #expect(abs(demand.alone - 2 / cost) < 0.05, "\(name)")
    }
  }

  @Test("Four that used a third of two cores waited for something else")
  func waiting() throws {
    let demands = workload(["a", "b", "c", "d"].map { ($0, 0, 4, 0.66) }).demands
    for demand in demands.values { #expect(demand.waiting > 3) }
  }

  @Test("If other programs used the rest of the cores, the runs waited for these")
  func others() throws {
    let runs = ["a", "b", "c", "d"].map { ($0, 0.0, 4.0, Optional(1.4)) }
    let free = try #require(workload(runs, busy: 5.6).demands["a"])
    let beside = try #require(workload(runs, busy: 7.9).demands["a"])
    #expect(beside.waiting < free.waiting - 0.5)
    #expect(beside.alone < 1.8)
    #expect(workload(runs, busy: 7.9).workload.others > 0.5)
    // Less than the runs, by an inexact counter.
    #expect(workload(runs, busy: 5).workload.others == 0)
  }

  @Test("What kept processes used isn't what other programs used, and doesn't grow with the duration")
  func processes() throws {
    let runs = [("a", 0.0, 4.0, Optional(3.9)), ("b", 4.0, 4.0, Optional(3.9))]
    let (beside, needs, _) = workload(runs, busy: 10.8, processes: 3)
    #expect(beside.others == 0)
    #expect(abs(workload(runs, busy: 10.8).workload.others - 0.37) < 0.01)
    let sharing = try #require(needs.sharing)
    #expect(sharing.rivals == 0)
    // Of 10.8 s of CPU time, the runs get 7.8.
    #expect(abs(sharing.free - 2 * 7.8 / 10.8) < 0.001)
  }

  @Test("Together they take as long as recorded, whatever was recorded", arguments: 0..<60)
  func reproduces(_ seed: UInt64) {
    var generator = Seeded(state: seed)
    let runs = (0..<Int.random(in: 1...12, using: &generator)).map { number in
      let duration = Double.random(in: 0.1...3, using: &generator)
      return (
        "n\(number)", Double.random(in: 0...2, using: &generator), duration,
        Optional(Double.random(in: 0...(duration * 1.9), using: &generator))
      )
    }
    for (name, demand) in workload(runs, busy: Double.random(in: 0...9, using: &generator)).demands {
      let duration = runs.first { $0.0 == name }?.2 ?? 0
      #expect(demand.computing >= 0 && demand.waiting >= 0)
      // Alone it takes no longer than beside others.
      #expect(demand.alone <= duration + 1e-6)
    }
  }

  @Test("Without the number of cores, or CPU times, nothing is known")
  func unknown() {
    #expect(workload([("a", 0, 1, 1)], cores: nil).needs.sharing == nil)
    #expect(workload([("a", 0, 1, 1)], cores: nil).demands.isEmpty)
    #expect(workload([("a", 0, 1, nil)]).demands.isEmpty)
    #expect(!workload([("a", 0, 1, nil)]).needs.isCrowded(8))
  }

  @Test("It may be crowded if those that compute most want more than half of the cores")
  func crowded() {
    let some = workload([("a", 0, 1, 0.6), ("b", 1, 1, 0.6), ("c", 2, 1, 0.05)]).needs
    #expect(!some.isCrowded(1))
    #expect(some.isCrowded(2))
    let sleepers = workload((0..<8).map { ("s\($0)", 0, 1, 0.05) }).needs
    #expect(!sleepers.isCrowded(8))
  }

  @Test("Of many runs at once, the parts of the pass are combined")
  func many() {
    let runs = (0..<400).map { ("n\($0)", Double($0) * 0.001, 3.0, Optional(0.004)) }
    let demands = workload(runs).demands
    #expect(demands.count == 400)
    for demand in demands.values { #expect(demand.alone <= 3.000_001 && demand.waiting > 0) }
  }
}
