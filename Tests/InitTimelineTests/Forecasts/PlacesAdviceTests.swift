import InitModel
import InitWire
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("What more places would change")
struct PlacesAdviceTests {
  typealias Role = Scenario.Role

  private func advise(_ timeline: Timeline, _ initializers: [Initializer]) -> PlacesAdvice? {
    var forecaster = Forecaster(timeline, among: initializers)
    return forecaster.advice(on: CriticalPath(timeline))
  }

  private func advise(_ scenario: Scenario) -> PlacesAdvice? {
    let recorded = scenario.play()
    return advise(recorded.timeline, recorded.status.initializers)
  }

  @Test("Many that depend on nothing wait for places, and as many places as there are would help")
  func independent() throws {
    let scenario = Scenario(roles: (0..<32).map { Role(name: "n\($0)") }, concurrency: 2)
    let advice = try #require(advise(scenario))
    // The last of 16 in a row was ready at the opening.
    #expect((advice.concurrency, advice.percent) == (2, 94))
    guard case .better(32, let predicted) = advice.finding else {
      Issue.record("\(advice.finding)")
      return
    }
    #expect(abs(predicted - 1) < 0.001)
  }

  @Test("No more places are named than help: here three chains limit the pass")
  func chains() throws {
    let roles = ["a", "b", "c"].flatMap { chain in
      (0..<6).map { Role(name: "\(chain)\($0)", needs: $0 == 0 ? [] : ["\(chain)\($0 - 1)"]) }
    }
    guard case .better(4, let predicted)? = advise(Scenario(roles: roles))?.finding else {
      Issue.record("no better concurrency, or another one")
      return
    }
    #expect(abs(predicted - 6) < 0.001)
  }

  @Test("A path of dependencies, and a failed pass, get none")
  func none() {
    #expect(advise(Scenario(roles: [Role(name: "a"), Role(name: "b", needs: ["a"])])) == nil)
    #expect(advise(Scenario(roles: [Role(name: "a"), Role(name: "b", fails: true)])) == nil)
    #expect(advise(Scenario(roles: [])) == nil)
  }

  @Test("More places don't help runs that used up the cores")
  func bound() throws {
    let jobs = (0..<15).map { SharedMachine.Job(name: "n\($0)", computing: 0.5, waiting: 0.02) }
    let machine = SharedMachine(jobs, concurrency: 3)
    let advice = try #require(advise(machine.play(), machine.initializers))
    #expect(advice.percent > 50)
    guard case .boundByCores(let used) = advice.finding else {
      Issue.record("\(advice.finding)")
      return
    }
    #expect(used.byRuns > 1.8 && used.byRuns <= 2 && used.byOthers < 0.2 && used.cores == 2)
  }

  @Test("Of very many, it is only said that they waited")
  func untried() throws {
    let runs = (0..<5001).map { number in
      Pass.Run.fake(number + 1, "n\(number)", from: Double(number) * 0.001, for: 0.001) {
        $0.ready = 0
        if number > 0 {
          $0.freedBy = "n\(number - 1)"
          $0.freed = Double(number) * 0.001
        }
      }
    }
    let timeline = Timeline(.fake(runs, for: 5.001, concurrency: 1), now: 9)
    let advice = try #require(advise(timeline, []))
    #expect((advice.percent, advice.finding) == (100, .untried))
  }

  @Test("Hardly any core was idle from 85 % on; runs that hardly compute aren't bound by what others use")
  func cores() {
    #expect(CoresUsed(byRuns: 1.5, byOthers: 0.2, cores: 2).isAll)
    #expect(!CoresUsed(byRuns: 1.5, byOthers: 0.19, cores: 2).isAll)
    #expect(CoresUsed(byRuns: 1.2, byProcesses: 0.3, byOthers: 0.2, cores: 2).isAll)
    #expect(CoresUsed(byRuns: 0.5, byOthers: 1.5, cores: 2).isAll)
    #expect(!CoresUsed(byRuns: 0.04, byOthers: 1.96, cores: 2).isAll)
  }
}
