import InitCore
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
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
    "Optional failures, a rerun and a pass in flight are predicted as they were",
    arguments: [
      Scenario(roles: [Role(name: "a", fails: true, isOptional: true), Role(name: "b")]),
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
    let forecast = Forecast(of: recorded.timeline, among: recorded.status.initializers, WhatIf())
    #expect(!forecast.isStart && forecast.usual.isEmpty && forecast.unknown.isEmpty)
    let path = CriticalPath(forecast.timeline)
    // Of several runs in flight, each could be the last.
    if recorded.pass.outcome != nil {
      #expect(path.steps.map(\.name) == CriticalPath(recorded.timeline).steps.map(\.name))
    }
    let shares = path.steps.reduce(0) { $0 + $1.queued + $1.running + $1.backoff }
    #expect(path.steps.isEmpty || abs(shares - forecast.timeline.duration) < 0.001)
  }

  @Test("What a pass in flight waits for at its end is shown, unless it is what would not exist")
  func missing() {
    let scenario = Scenario(roles: [Role(name: "a"), Role(name: "w", needs: ["a"], registered: 500)], until: 1.5)
    let recorded = scenario.play()
    for (without, shown) in [("", ["w"]), ("w", [])] {
      var whatIf = WhatIf()
      whatIf.without = without.isEmpty ? [] : [without]
      let forecast = Forecast(of: recorded.timeline, among: recorded.status.initializers, whatIf)
      #expect(forecast.timeline.unstarted.map(\.name) == shown)
    }
  }

  @Test("An initializer whose dependency ran again after it, and then waited for it, is no circle")
  func rerunAfterDependent() {
    let runs = [
      Pass.Run.fake(1, "a", from: 0, for: 1), .fake(2, "b", from: 1, for: 1, after: ["a"]),
      .fake(3, "a", from: 2, for: 1, after: ["b"]),
    ]
    let timeline = Timeline(.fake(runs, for: 3, concurrency: 1), now: 3)
    var whatIf = WhatIf()
    whatIf.durations = ["b": 5]
    let forecast = Forecast(of: timeline, among: [.fake("a", .complete), .fake("b", .complete)], whatIf)
    #expect(forecast.timeline.pass.runs.last { $0.initializer == "b" }?.duration == 5)
  }

  // MARK: Passes that didn't complete

  private func start(
    _ scenario: Scenario, usual: [String: Double] = [:], _ change: (inout WhatIf) -> Void = { _ in }
  ) -> Forecast {
    var whatIf = WhatIf()
    change(&whatIf)
    let recorded = scenario.play()
    let known = Usual(
      phase: recorded.pass.phase.known ?? .launch, passes: 1, duration: 9,
      initializers: usual.map { Usual.Initializer(name: $0.key, running: $0.value) })
    return Forecast(of: recorded.timeline, among: recorded.status.initializers, usual: [known], whatIf)
  }

  /// A chain whose second part fails, so the last two never run.
  private let failing = Scenario(roles: [
    Role(name: "a"), Role(name: "b", needs: ["a"], attempts: [0.5], fails: true), Role(name: "c", needs: ["b"]),
    Role(name: "d"),
  ])

  @Test("For a failed pass, a start that completes is predicted: what didn't complete takes as long as usual")
  func failedPass() {
    let forecast = start(failing, usual: ["a": 77, "b": 3, "c": 2, "d": 4])
    // What ran to completion takes as long as recorded.
    #expect(abs(forecast.timeline.duration - (1 + 3 + 2 + 4)) < 0.001)
    #expect(forecast.isStart && forecast.timeline.outcome == .complete)
    #expect((forecast.usual, forecast.unknown, forecast.failure) == (["b", "c", "d"], [], nil))
    #expect(abs(start(failing, usual: ["b": 3, "c": 2, "d": 4]) { $0.concurrency = 2 }.timeline.duration - 6) < 0.001)
  }

  @Test("What isn't known is named, and counts as long as it ran; a given duration is known")
  func unknownDurations() {
    let forecast = start(failing, usual: ["c": 2])
    #expect(abs(forecast.timeline.duration - (1 + 0.5 + 2)) < 0.001)
    #expect((forecast.usual, forecast.unknown) == (["c"], ["b", "d"]))
    let given = start(failing, usual: ["c": 2, "d": 3]) {
      $0.durations = ["b": 5]
      $0.speedups = ["d": 3]
      $0.without = ["a"]
    }
    #expect(abs(given.timeline.duration - (5 + 2 + 1)) < 0.001)
    #expect((given.usual, given.unknown) == (["c", "d"], []))
  }

  @Test("A run that was cancelled by the failure of another takes as long as usual, and an optional failure stays one")
  func cancelledRun() {
    let scenario = Scenario(
      roles: [
        Role(name: "long", attempts: [9]), Role(name: "o", attempts: [0.1], fails: true, isOptional: true),
        Role(name: "b", attempts: [0.5], fails: true),
      ], concurrency: 3)
    let forecast = start(scenario, usual: ["long": 9, "b": 1])
    #expect(abs(forecast.timeline.duration - 9) < 0.001)
    #expect(forecast.usual == ["long", "b"])
    #expect(forecast.timeline.initializers.map(\.outcome) == [.complete, .failed, .complete])
  }

  @Test("For an active pass that was cancelled, and one that waited for a worker in vain, a start is predicted too")
  func otherEnds() {
    let cancelled = Scenario(
      roles: [Role(name: "a", attempts: [0.1, 0.1], priority: .appActive)], delay: 5,
      events: [(0.2, .activated(hold: nil)), (1, .deactivated)], pass: 2)
    #expect(abs(start(cancelled, usual: ["a": 3]).timeline.duration - 3) < 0.001)
    let missing = Scenario(
      roles: [Role(name: "a"), Role(name: "w", needs: ["a"], registered: 500)], registrationTimeout: 2)
    #expect(abs(start(missing, usual: ["w": 4]).timeline.duration - 5) < 0.001)
    #expect(abs(start(missing) { $0.without = ["w"] }.timeline.duration - 1) < 0.001)
  }

  @Test("What had completed before a resumed launch isn't run again; what completed later is")
  func resumed() {
    func shape(_ name: String, _ needs: [String], ranIn pass: Int?) -> Initializer {
      .fake(name, .complete) {
        $0.pass = pass
        $0.dependencies = needs
      }
    }
    // Pass 2 failed at b; a had completed in pass 1, and c in pass 3. r was remembered.
    let run = Pass.Run.fake(7, "b", from: 0, for: 1, .failed)
    var pass = Pass.fake([run], for: 1, .failed, concurrency: 1)
    pass.pass = 2
    pass.error = .exit3("b")
    let initializers = [
      shape("a", [], ranIn: 1), shape("r", [], ranIn: nil), shape("b", ["a", "r"], ranIn: 3),
      shape("c", ["b", "a"], ranIn: 3),
    ]
    let timeline = Timeline(pass, now: 9, status: .fake(initializers))
    let usual = Usual(
      phase: .launch, passes: 1, duration: 9,
      initializers: ["a", "b", "c"].map { Usual.Initializer(name: $0, running: 2) })
    let forecast = Forecast(of: timeline, among: initializers, usual: [usual], WhatIf())
    #expect(abs(forecast.timeline.duration - 4) < 0.001)
    #expect(forecast.usual == ["b", "c"])
  }

  @Test("A start that would fail again says why")
  func circular() throws {
    let scenario = Scenario(roles: [Role(name: "a", needs: ["b"]), Role(name: "b", needs: ["a"]), Role(name: "c")])
    #expect(try #require(start(scenario).failure).contains("circular"))
  }

  // MARK: Other changes

  @Test("Without a dependency, an initializer starts earlier; without one that it doesn't have, nothing changes")
  func withoutDependency() {
    let scenario = Scenario(
      roles: [Role(name: "a"), Role(name: "b", needs: ["a"]), Role(name: "c", needs: ["b", "a"])], concurrency: 3)
    #expect(abs(predicted(scenario) { $0.withoutDependencies = [.init(of: "c", on: "b")] } - 2) < 0.001)
    #expect(abs(predicted(scenario) { $0.withoutDependencies = [.init(of: "b", on: "a")] } - 2) < 0.001)
    #expect(
      abs(predicted(scenario) { $0.withoutDependencies = [.init(of: "b", on: "a"), .init(of: "c", on: "b")] } - 2)
        < 0.001)
    #expect(abs(predicted(scenario) { $0.withoutDependencies = [.init(of: "a", on: "b")] } - 3) < 0.001)
    let recorded = scenario.play()
    let forecaster = Forecaster(recorded.timeline, among: recorded.status.initializers)
    #expect(forecaster.depends(.init(of: "c", on: "a")) && !forecaster.depends(.init(of: "a", on: "c")))
  }

  @Test("What waits for something to come up ends at the same moment, whenever it starts")
  func moments() {
    // One after another: the check waits from 2 to 5.
    let scenario = Scenario(roles: [Role(name: "a", attempts: [2]), Role(name: "check", attempts: [3])])
    #expect(abs(predicted(scenario) { $0.concurrency = 2 } - 3) < 0.001)
    #expect(
      abs(
        predicted(scenario) {
          $0.concurrency = 2
          $0.moments = ["check"]
        } - 5) < 0.001)
    // If the initializer starts later than that, its condition holds already.
    #expect(
      abs(
        predicted(scenario) {
          $0.moments = ["check"]
          $0.durations = ["a": 9]
        } - 9) < 0.001)
  }

  @Test("A shell's loop that has waited at least once ends at a moment by itself; one that never waited does not")
  func polls() {
    func forecast(_ duration: Double, cpu: Double = 0.1) -> Forecast {
      let check = Pass.Run.fake(2, "check", from: 2, for: duration) {
        $0.polls = 0.5
        $0.cpu = cpu
      }
      let pass = Pass.fake([.fake(1, "a", from: 0, for: 2), check], for: 2 + duration, concurrency: 1)
      var whatIf = WhatIf()
      whatIf.concurrency = 2
      return Forecast(of: Timeline(pass, now: 9), among: [.fake("a", .complete), .fake("check", .complete)], whatIf)
    }
    #expect(abs(forecast(3).timeline.duration - 5) < 0.001)
    #expect(forecast(3).moments == ["check"])
    #expect(abs(forecast(0.4).timeline.duration - 2) < 0.001)
    #expect(forecast(0.4).moments.isEmpty)
  }

  // MARK: Launch and the active pass together

  @Test("Launch and the active pass are executed together: at other concurrencies, and without an initializer")
  func joint() {
    let scenario = Scenario(
      roles: [
        Role(name: "migrate", attempts: [2]), Role(name: "static", attempts: [6]),
        Role(name: "check", attempts: [1], priority: .appActive), Role(name: "seed", needs: ["check"], attempts: [1]),
        Role(name: "page", needs: ["migrate", "check"], attempts: [3], priority: .appActive),
      ], concurrency: 2, events: [(0.5, .activated(hold: nil))], pass: 2)
    let recorded = scenario.playBoth()
    func predicted(_ change: (inout WhatIf) -> Void = { _ in }) -> Double {
      var whatIf = WhatIf()
      change(&whatIf)
      return Forecast(of: recorded.timeline, among: recorded.status.initializers, whatIf).timeline.duration
    }
    func measured(_ change: (inout Scenario) -> Void) -> Double {
      var changed = scenario
      change(&changed)
      return changed.playBoth().timeline.duration
    }
    #expect(abs(recorded.timeline.duration - 10) < 0.001)
    #expect(abs(predicted() - 10) < 0.001)
    for concurrency in [1, 3] {
      let real = measured { $0.concurrency = concurrency }
      #expect(abs(predicted { $0.concurrency = concurrency } - real) < 0.001)
    }
    #expect(abs(predicted { $0.without = ["static"] } - measured { $0.roles.remove(at: 1) }) < 0.001)
    #expect(abs(predicted { $0.withoutDependencies = [.init(of: "page", on: "check")] } - 9) < 0.001)
    // The pass before the activation doesn't wait for it.
    let path = CriticalPath(Forecast(of: recorded.timeline, among: recorded.status.initializers, WhatIf()).timeline)
    #expect(path.steps.map { "\($0.name) \($0.link)" } == ["static opening", "check launch", "page dependency"])
  }

  // MARK: Runs that compute

  @Test(
    "From each concurrency, runs that compute on two cores are predicted at each other one within 15 %",
    arguments: 0..<12)
  func computing(_ seed: UInt64) {
    var machine = SharedMachine.random(seed)
    var played: [Int: Timeline] = [:]
    for concurrency in [1, 2, 4, 8] {
      machine.concurrency = concurrency
      played[concurrency] = machine.play()
    }
    for (recorded, timeline) in played {
      var forecaster = Forecaster(timeline, among: machine.initializers)
      for (other, real) in played {
        var whatIf = WhatIf()
        whatIf.concurrency = other
        let predicted = forecaster.forecast(whatIf).timeline.duration
        #expect(
          abs(predicted / real.duration - 1) < (recorded == other ? 0.001 : 0.15),
          "from \(recorded) to \(other): \(predicted), really \(real.duration)")
      }
    }
  }

  @Test(
    "From each concurrency, starts of processes that go on computing are predicted at each other one within 20 %",
    arguments: 0..<12)
  func processes(_ seed: UInt64) {
    var generator = Seeded(state: seed)
    // A warm start of a web application: a database, and servers and workers that import the same libraries.
    var machine = SharedMachine(
      [
        .init(name: "database", computing: 0.1, waiting: 0.1),
        .init(name: "migrate", needs: ["database"], computing: 4, waiting: 0.3),
      ])
    for number in 0..<6 {
      machine.jobs.append(
        .init(
          name: "p\(number)", needs: [number < 2 ? "database" : "migrate"],
          computing: Double.random(in: 1...5, using: &generator), waiting: 0.2,
          afterwards: Double.random(in: 0...1, using: &generator)))
    }
    var played: [Int: Timeline] = [:]
    for concurrency in [1, 2, 4, 8] {
      machine.concurrency = concurrency
      played[concurrency] = machine.play()
    }
    for (recorded, timeline) in played {
      var forecaster = Forecaster(timeline, among: machine.initializers)
      for (other, real) in played {
        var whatIf = WhatIf()
        whatIf.concurrency = other
        let predicted = forecaster.forecast(whatIf).timeline.duration
        #expect(
          abs(predicted / real.duration - 1) < (recorded == other ? 0.001 : 0.2),
          "from \(recorded) to \(other): \(predicted), really \(real.duration)")
      }
    }
  }

  /// Warm starts of Apache Superset on two cores, recorded at concurrency 1, 2 and 4: name, start, duration and CPU time of each run.
  private static let superset:
    [Int: (busy: Double, processes: Double, runs: [(name: String, start: Double, duration: Double, cpu: Double)])] = [
      1: (
        14.39, 0.22,
        [
          ("postgres", 0, 0.17, 0.06), ("redis", 0.17, 0.20, 0), ("web", 0.38, 2.77, 5.20),
          ("worker", 3.15, 4.45, 3.29),
          ("beat", 7.60, 2.63, 2.58), ("alerts", 10.23, 3.84, 2.83),
        ]
      ),
      2: (
        15.80, 0.62,
        [
          ("postgres", 0, 0.18, 0.06), ("redis", 0, 0.21, 0), ("web", 0.18, 4.33, 5.12), ("worker", 0.21, 6.28, 3.80),
          ("beat", 4.51, 3.42, 3.03), ("alerts", 6.49, 4.24, 2.95),
        ]
      ),
      4: (
        17.66, 0.95,
        [
          ("postgres", 0, 0.10, 0.05), ("redis", 0, 0.21, 0), ("web", 0, 6.98, 5.44), ("worker", 0.21, 10.16, 4.17),
          ("beat", 0.21, 7.94, 3.33), ("alerts", 0.21, 9.76, 3.50),
        ]
      ),
    ]

  @Test("A recorded warm start of Apache Superset is predicted at each other concurrency within 20 %")
  func warmStart() {
    let passes = Self.superset.mapValues { recorded in
      let runs = recorded.runs.enumerated().map { number, run in
        Pass.Run.fake(
          number + 1, run.name, from: run.start, for: run.duration,
          after: ["worker", "beat", "alerts"].contains(run.name) ? ["redis"] : []
        ) { $0.cpu = run.cpu }
      }
      var pass = Pass.fake(runs, for: runs.reduce(0) { max($0, $1.started + ($1.duration ?? 0)) }, concurrency: 1)
      pass.cores = 2
      pass.busy = recorded.busy
      pass.processes = recorded.processes
      pass.supervisor = 0.06
      return pass
    }
    let initializers = ["postgres", "redis", "web", "worker", "beat", "alerts"].map {
      Initializer.fake($0, .complete)
    }
    for (concurrency, pass) in passes {
      var pass = pass
      pass.concurrency = concurrency
      var forecaster = Forecaster(Timeline(pass, now: 99), among: initializers)
      for (other, real) in passes {
        var whatIf = WhatIf()
        whatIf.concurrency = other
        let predicted = forecaster.forecast(whatIf).timeline.duration / (real.duration ?? 0)
        #expect(abs(predicted - 1) < 0.2, "from \(concurrency) to \(other): \(predicted)")
      }
    }
  }

  @Test("A small change of a crowded pass changes little")
  func smallChange() {
    var machine = SharedMachine.random(3)
    machine.jobs.append(SharedMachine.Job(name: "tiny", computing: 0.001, waiting: 0))
    machine.concurrency = 8
    let timeline = machine.play()
    var whatIf = WhatIf()
    whatIf.without = ["tiny"]
    let predicted = Forecast(of: timeline, among: machine.initializers, whatIf).timeline.duration
    #expect(abs(predicted / timeline.duration - 1) < 0.03)
  }

  @Test("Runs that compute can't be faster than the cores allow, and say how many they use")
  func bound() throws {
    let machine = SharedMachine((0..<8).map { SharedMachine.Job(name: "n\($0)", computing: 1, waiting: 0) })
    var forecaster = Forecaster(machine.play(), among: machine.initializers)
    var whatIf = WhatIf()
    whatIf.concurrency = 8
    let forecast = forecaster.forecast(whatIf)
    #expect(forecast.timeline.duration > 4 && forecast.timeline.duration < 4.5)
    let used = try #require(forecast.coresUsed)
    #expect(used > 1.75 && used <= 2)
    let bound = forecaster.boundByCores(forecast, whatIf)
    #expect(bound?.byRuns == used)
    // One after another, they use one of both.
    let unchanged = forecaster.forecast(WhatIf())
    #expect(try #require(unchanged.coresUsed) <= 1)
    let unbound = forecaster.boundByCores(unchanged, WhatIf())
    #expect(unbound == nil)
  }

  @Test("No forecast is faster than the supervisor can start and end the runs")
  func supervisor() {
    let runs = (0..<10).map { Pass.Run.fake($0 + 1, "n\($0)", from: Double($0) * 0.1, for: 0.1) }
    var pass = Pass.fake(runs, for: 1, concurrency: 1)
    pass.supervisor = 0.6
    func predicted(_ change: (inout WhatIf) -> Void) -> Double {
      var whatIf = WhatIf()
      change(&whatIf)
      return Forecast(of: Timeline(pass, now: 9), among: [], whatIf).timeline.duration
    }
    #expect(abs(predicted { $0.concurrency = 10 } - 0.6) < 0.001)
    #expect(
      abs(
        predicted {
          $0.concurrency = 10
          $0.without = ["n1", "n2", "n3", "n4", "n5"]
        } - 0.3) < 0.001)
    #expect(abs(predicted { _ in } - 1) < 0.001)
  }
}

extension Forecast {
  /// The forecast of a recorded pass.
  fileprivate init(
    of timeline: Timeline, among initializers: [Initializer], usual: [Usual] = [], _ whatIf: WhatIf
  ) {
    var forecaster = Forecaster(timeline, among: initializers, usual: usual)
    self = forecaster.forecast(whatIf)
  }
}
