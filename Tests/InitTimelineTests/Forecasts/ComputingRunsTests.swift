import InitCore
import InitText
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("Runs that compute, in simulated time")
struct ComputingRunsTests {
  private let cost = 1 + CoreSharing.costOfCompany

  private func seconds(_ ends: [(run: RunID, end: Instant)]) -> [Int: Double] {
    Dictionary(uniqueKeysWithValues: ends.map { ($0.run.rawValue, ($0.end.inSeconds * 1000).rounded() / 1000) })
  }

  @Test("A run alone ends after what it needs, and is reported once")
  func alone() {
    var runs = ComputingRuns(CoreSharing(cores: 2, free: 2))
    runs.start(1, Demand(computing: 1, waiting: 2), at: .seconds(5))
    #expect(seconds(runs.ends(at: .seconds(5))) == [1: 8])
    #expect(runs.ends(at: .seconds(6)).isEmpty)
  }

  @Test("Each start and each end changes the ends of all others that share the cores")
  func shared() {
    var runs = ComputingRuns(CoreSharing(cores: 1, free: 1))
    runs.start(1, Demand(computing: 1, waiting: 0), at: .zero)
    #expect(seconds(runs.ends(at: .zero)) == [1: 1])
    runs.start(2, Demand(computing: 1, waiting: 0), at: .milliseconds(500))
    let half = 0.5 * 2 * cost
    let ends = seconds(runs.ends(at: .milliseconds(500)))
    #expect(ends == [1: 0.5 + half, 2: ((0.5 + 2 * cost) * 1000).rounded() / 1000])
    runs.remove(1)
    #expect(seconds(runs.ends(at: .seconds(0.5 + half))) == [2: 0.5 + half + 0.5])
    runs.remove(2)
    #expect(runs.ends(at: .seconds(9)).isEmpty)
  }

  @Test("The end of a run that isn't here changes nothing")
  func unknown() {
    var runs = ComputingRuns(CoreSharing(cores: 1, free: 1))
    runs.remove(7)
    #expect(runs.ends(at: .zero).isEmpty)
  }
}
