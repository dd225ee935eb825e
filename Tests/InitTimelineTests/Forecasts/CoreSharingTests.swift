import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("How runs that compute share the cores")
struct CoreSharingTests {
  private let two = CoreSharing(cores: 2, free: 2)
  /// How much more CPU time is needed in company.
  private let cost = 1 + CoreSharing.costOfCompany

  private func stretches(_ sharing: CoreSharing, _ demands: [Demand]) -> [Double] {
    sharing.loads(demands).map { rounded($0.stretch) }
  }

  private func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

  @Test("A run alone isn't slower; two have a core each, and need a little more CPU time; what only waits isn't slower")
  func few() {
    let computes = Demand(computing: 1, waiting: 0)
    let waits = Demand(computing: 0, waiting: 1)
    #expect(stretches(two, [computes]) == [1])
    #expect(stretches(two, []) == [])
    #expect(stretches(two, [computes, computes]) == [cost, cost])
    #expect(stretches(two, [computes, waits, waits, waits]) == [1, 1, 1, 1])
    #expect(
      stretches(two, [computes, waits, computes, computes]) == [1.5 * cost, 1, 1.5 * cost, 1.5 * cost].map(rounded))
  }

  @Test(
    "Runs that always compute get equal parts of the cores, however many they are", arguments: [3, 4, 8, 64, 65, 500])
  func always(_ count: Int) {
    let demands = [Demand](repeating: Demand(computing: 1, waiting: 0), count: count)
    for stretch in stretches(two, demands) { #expect(abs(stretch / (Double(count) / 2 * cost) - 1) < 0.001) }
  }

  @Test("A quota of half a core makes a single run take twice as long")
  func quota() {
    let demands = [Demand(computing: 1, waiting: 3)]
    #expect(stretches(CoreSharing(cores: 0.5, free: 0.5), demands) == [2])
    #expect(demands[0].slowdown(2) == 1.25)
  }

  @Test("What others use of the cores is missing when more threads want a core than there are, and only then")
  func others() {
    let computes = Demand(computing: 1, waiting: 0)
    let sharing = CoreSharing(cores: 2, free: 1.6)
    #expect(stretches(sharing, [computes, computes]) == [cost, cost])
    #expect(abs(stretches(sharing, [computes, computes, computes, computes])[0] - 4 / 1.6 * cost) < 0.001)
    // Rivals are further threads.
    #expect(stretches(CoreSharing(cores: 2, free: 2, rivals: 0.5), [computes]) == [1 + 0.5 * CoreSharing.costOfCompany])
    #expect(stretches(CoreSharing(cores: 2, free: 2, rivals: 2), [computes]) == [rounded(1.5 * cost)])
  }

  @Test("Four runs that compute half of their time use 1.7 of 2 cores: the known answer of queueing theory")
  func halfOfTheTime() {
    // The machine repair model with two servers: the states have the probabilities 1, 4, 6, 6 and 3 of 20.
    let demands = [Demand](repeating: Demand(computing: 1, waiting: 1), count: 4)
    let load = two.loads(demands)[0]
    let use = 4 * demands[0].busyPart(load.stretch) / load.stretch * load.cost
    // In company, each needs a little more of the cores.
    #expect(abs(use - 1.7) < 0.07)
    #expect(use < 2)
  }

  @Test("A run with several threads wants several cores at once")
  func threads() {
    #expect(Demand.threads(cpu: 3.9, in: 2) == 2)
    #expect(Demand.threads(cpu: 1.02, in: 1) == 1)
    #expect(Demand.threads(cpu: 0.1, in: 1) == 1)
    #expect(Demand.threads(cpu: 1, in: 0) == 1)
    let parallel = Demand(computing: 1, waiting: 0, threads: 2)
    let single = Demand(computing: 1, waiting: 0)
    #expect(stretches(two, [parallel]) == [cost])
    #expect(stretches(two, [parallel, single]) == [1.5 * cost, 1.5 * cost].map(rounded))
  }

  @Test("More runs never make one faster, and no cores are used that don't exist", arguments: 0..<50)
  func bounds(_ seed: UInt64) {
    var generator = Seeded(state: seed)
    let sharing = CoreSharing(cores: Double(Int.random(in: 1...6, using: &generator)), free: 1)
    var demands = [Demand]()
    var before = 1.0
    for _ in 0..<12 {
      demands.append(
        Demand(
          computing: Double.random(in: 0...1, using: &generator), waiting: Double.random(in: 0...1, using: &generator),
          threads: Int.random(in: 1...3, using: &generator)))
      let loads = sharing.loads(demands)
      #expect(loads[0].stretch >= before - 0.01)
      before = loads[0].stretch
      let used = zip(loads, demands).reduce(0) {
        $0 + $1.1.busyPart($1.0.stretch) / $1.0.stretch * Double($1.1.threads) * $1.0.cost
      }
      #expect(used <= sharing.cores * 1.1)
    }
  }
}
