import InitCore
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("Where the time of a pass went")
struct TimelineTests {
  typealias Role = Scenario.Role

  /// The initializers as text: `name outcome attempts waited+queued+running+backoff`, in milliseconds.
  private func parts(_ scenario: Scenario) -> [String] {
    scenario.play().timeline.initializers.map { each in
      let times = [each.waited, each.queued, each.running, each.backoff].map { "\(Int(($0 * 1000).rounded()))" }
      #expect(abs(each.finished - (each.ended - each.opened)) < 1e-5)
      return "\(each.name) \(each.outcome) \(each.runs.count) \(times.joined(separator: "+"))"
    }
  }

  @Test("In flight, unfinished parts count up to now, and those that wait are shown with what they waited so far")
  func inFlight() {
    var scenario = Scenario(
      roles: [
        Role(name: "a"), Role(name: "b", needs: ["a"], attempts: [1, 1]), Role(name: "c"),
        Role(name: "d", needs: ["b"]), Role(name: "w", needs: ["a"], registered: 9),
        Role(name: "other", priority: .appActive),
      ], delay: 1, hasJitter: false, until: 0.5)
    #expect(
      parts(scenario) == [
        "a running 1 0+0+500+0", "b waiting 0 500+0+0+0", "c waiting 0 0+500+0+0", "d waiting 0 500+0+0+0",
        "w waiting 0 500+0+0+0",
      ])
    scenario.until = 2.5
    #expect(
      parts(scenario) == [
        "a complete 1 0+0+1000+0", "b waiting 1 1000+0+1000+500", "c waiting 0 0+2500+0+0",
        "d waiting 0 2500+0+0+0", "w waiting 0 1000+1500+0+0",
      ])
  }

  @Test("A pass that has ended has only those that ran")
  func ended() {
    let scenario = Scenario(roles: [Role(name: "a", fails: true), Role(name: "b", needs: ["a"])])
    #expect(parts(scenario) == ["a failed 1 0+0+1000+0"])
  }

  @Test("A pass that a missing worker has failed shows the initializer that it waited for")
  func missing() {
    let scenario = Scenario(
      roles: [Role(name: "a"), Role(name: "w", needs: ["a"], registered: 500)], registrationTimeout: 2)
    #expect(parts(scenario) == ["a complete 1 0+0+1000+0", "w failed 0 1000+2000+0+0"])
  }

  @Test("A pass that waits for launch has waited for nothing itself")
  func held() {
    let scenario = Scenario(
      roles: [Role(name: "l"), Role(name: "a", needs: ["l"], priority: .appActive)], until: 0.5,
      events: [(0.1, .activated(hold: nil))], pass: 2)
    #expect(parts(scenario) == ["a waiting 0 0+0+0+0"])
    let timeline = scenario.play().timeline
    #expect(abs(timeline.held - 0.4) < 1e-5 && timeline.duration == 0 && timeline.outcome == .running)
  }

  // MARK: Launch and the active pass together

  private let both = Scenario(
    roles: [
      Role(name: "l", attempts: [2]), Role(name: "check", priority: .appActive), Role(name: "m", needs: ["check"]),
      Role(name: "a", needs: ["check"], priority: .appActive),
    ], concurrency: 2, events: [(0.5, .activated(hold: nil))], pass: 2)

  @Test("Launch and the active pass are one timeline, from the opening of launch; what ran in both is there twice")
  func joint() throws {
    let timeline = both.playBoth().timeline
    let rows = timeline.initializers.map { each in
      let times = [each.waited, each.queued, each.running].map { "\(Int(($0 * 1000).rounded()))" }
      return "\(each.name) \(each.phase?.rawValue ?? "-") \(times.joined(separator: "+"))"
    }
    #expect(
      rows == [
        "l launch 0+0+2000", "check launch 0+0+1000", "m launch 1000+0+1000", "check active 2000+0+1000",
        "a active 3000+0+1000",
      ])
    #expect(abs(timeline.duration - 4) < 1e-5 && timeline.held == 0)
    #expect((timeline.pass.pass, timeline.outcome) == (2, .complete))
    #expect(abs(try #require(timeline.boundary) - timeline.opened - 2) < 1e-5)
    let joint = try #require(timeline.joint)
    #expect((joint.launch.pass, joint.active.pass) == (1, 2))
  }

  @Test("While launch runs, the active initializers are shown as waiting, and there is no boundary")
  func jointInFlight() {
    var scenario = both
    scenario.until = 1.5
    let timeline = scenario.playBoth().timeline
    #expect(timeline.boundary == nil)
    #expect(timeline.outcome == .running)
    #expect(abs(timeline.duration - 1.5) < 1e-5)
    let rows = timeline.initializers.map { "\($0.name) \($0.phase?.rawValue ?? "-") \($0.outcome)" }
    #expect(
      rows == [
        "l launch running", "check launch complete", "m launch running", "check active waiting", "a active waiting",
      ])
  }

  @Test("How many cores the runs used is their CPU time by the duration, and at most all")
  func coresUsed() {
    func used(_ cpu: Double?, _ cores: Double? = 2, for duration: Double? = 2) -> Double? {
      var pass = Pass.fake([.fake(1, "a", from: 0, for: duration) { $0.cpu = cpu }], for: duration)
      pass.cores = cores
      return Timeline(pass, now: 9).coresUsed
    }
    #expect(used(3) == 1.5)
    #expect(used(5) == 2)
    for none in [used(nil), used(3, nil), used(3, for: nil)] { #expect(none == nil) }
  }
}
