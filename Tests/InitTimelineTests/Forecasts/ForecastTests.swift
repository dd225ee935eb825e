import InitCore
import InitWire
import InitWords
import Testing

@testable import InitTimeline

@Suite("What if something had been different")
struct ForecastTests {
  typealias Role = Scenario.Role

  private func predicted(_ scenario: Scenario, _ change: (inout WhatIf) -> Void = { _ in }) -> Double {
    var whatIf = WhatIf()
    change(&whatIf)
    let recorded = scenario.play()
    return Forecast(of: recorded.timeline, among: recorded.status.initializers, whatIf).timeline.duration
  }

  private func measured(_ scenario: Scenario, _ change: (inout Scenario) -> Void = { _ in }) -> Double {
    var scenario = scenario
    change(&scenario)
    return scenario.play().timeline.duration
  }

  @Test("Unchanged it takes as long as it did, with retries, jitter and late workers", arguments: 0..<200)
  func unchanged(_ seed: UInt64) {
    var generator = Seeded(state: seed)
    let scenario = Scenario.random(&generator, size: Int.random(in: 1...25, using: &generator))
    let recorded = scenario.play()
    let forecast = Forecast(of: recorded.timeline, among: recorded.status.initializers, WhatIf()).timeline
    #expect(abs(forecast.duration - recorded.timeline.duration) < 0.001)
    #expect(CriticalPath(forecast).steps.map(\.name) == CriticalPath(recorded.timeline).steps.map(\.name))
  }

  @Test(
    "With another concurrency, or without an initializer, or with another duration, it is as executed",
    arguments: 0..<100)
  func changed(_ seed: UInt64) {
    var generator = Seeded(state: seed &+ 5000)
    var scenario = Scenario.random(&generator, size: Int.random(in: 2...25, using: &generator))
    scenario.hasJitter = false
    for concurrency in [1, 2, 4] {
      let real = measured(scenario) { $0.concurrency = concurrency }
      #expect(abs(predicted(scenario) { $0.concurrency = concurrency } - real) < 0.001)
    }
    let name = scenario.roles.randomElement(using: &generator)?.name ?? ""
    let without = measured(scenario) { scenario in
      scenario.roles.removeAll { $0.name == name }
      for index in scenario.roles.indices { scenario.roles[index].needs.removeAll { $0 == name } }
    }
    #expect(abs(predicted(scenario) { $0.without = [name] } - without) < 0.001)
    let faster = measured(scenario) { scenario in
      for index in scenario.roles.indices where scenario.roles[index].name == name {
        scenario.roles[index].attempts = scenario.roles[index].attempts.map { $0 / 4 }
      }
    }
    #expect(abs(predicted(scenario) { $0.speedups = [name: 4] } - faster) < 0.001)
  }

  @Test("A duration is that of all attempts together; the pauses stay")
  func durations() {
    let scenario = Scenario(roles: [Role(name: "a", attempts: [1, 3])], delay: 1, hasJitter: false)
    #expect(abs(predicted(scenario) { $0.durations = ["a": 2] } - 3) < 0.001)
    let none = Scenario(roles: [Role(name: "a", attempts: [0])])
    #expect(abs(predicted(none) { $0.durations = ["a": 2] } - 2) < 0.001)
  }

  @Test("Dependencies of the active phase run only if a launch initializer needs them")
  func dependenciesOnly() {
    let scenario = Scenario(
      roles: [Role(name: "d", priority: .appActive), Role(name: "a", needs: ["d"])])
    #expect(abs(predicted(scenario) - 2) < 0.001)
    #expect(predicted(scenario) { $0.without = ["a"] } < 0.001)
  }

  @Test(
    "Failed and cancelled passes, a missing worker, a rerun and a pass in flight are predicted as they were",
    arguments: [
      Scenario(roles: [Role(name: "a"), Role(name: "b", attempts: [0.5], fails: true)], concurrency: 2),
      Scenario(roles: [Role(name: "a", fails: true, isOptional: true), Role(name: "b")]),
      Scenario(roles: [Role(name: "a"), Role(name: "w", needs: ["a"], registered: 500)], registrationTimeout: 2),
      Scenario(
        roles: [Role(name: "a", attempts: [0.1, 0.1], priority: .appActive)], delay: 5,
        events: [(0.2, .activated(hold: nil)), (1, .deactivated)], pass: 2),
      Scenario(
        roles: [Role(name: "w", attempts: [2], registered: 0), Role(name: "x", attempts: [1.5])],
        events: [
          (1, .workerUnregistered(by: 0, ["w"])), (2, .workerRegistered(0, process: nil, [Registration("w")])),
        ]),
      Scenario(roles: [Role(name: "a"), Role(name: "b", needs: ["a"], attempts: [1, 1])], delay: 9, until: 2.5),
      Scenario(roles: [Role(name: "a"), Role(name: "b")], concurrency: 2, until: 0.5),
      Scenario(roles: []),
    ])
  func ends(_ scenario: Scenario) {
    #expect(abs(predicted(scenario) - measured(scenario)) < 0.001)
    let recorded = scenario.play()
    let forecast = Forecast(of: recorded.timeline, among: recorded.status.initializers, WhatIf()).timeline
    let path = CriticalPath(forecast)
    // Of several runs in flight, each could be the last.
    if recorded.pass.outcome != nil {
      #expect(path.steps.map(\.name) == CriticalPath(recorded.timeline).steps.map(\.name))
    }
    let shares = path.steps.reduce(0) { $0 + $1.queued + $1.running + $1.backoff }
    #expect(path.steps.isEmpty || abs(shares - forecast.duration) < 0.001)
  }

  @Test("Without the initializer that it waited for in vain, it is shorter")
  func withoutMissing() {
    let scenario = Scenario(
      roles: [Role(name: "a"), Role(name: "w", needs: ["a"], registered: 500)], registrationTimeout: 2)
    #expect(abs(predicted(scenario) { $0.without = ["w"] } - 1) < 0.001)
  }
}
