import InitCore
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("The critical path, and the slack of the others")
struct CriticalPathTests {
  typealias Role = Scenario.Role

  /// The path as text: `name link from queued+running+backoff`, in milliseconds.
  private func path(_ scenario: Scenario) -> [String] {
    let timeline = scenario.play().timeline
    let path = CriticalPath(timeline)
    #expect(abs(path.steps.reduce(0) { $0 + $1.share } - timeline.duration) < 0.001)
    return path.steps.map { step in
      let parts = [step.queued, step.running, step.backoff].map { "\(Int(($0 * 1000).rounded()))" }
      return "\(step.name) \(step.link) \(step.from ?? "-") \(parts.joined(separator: "+"))"
    }
  }

  private func slack(_ scenario: Scenario) -> [String] {
    CriticalPath(scenario.play().timeline).slack.map { "\($0.name) \(Int(($0.slack * 1000).rounded()))" }
  }

  @Test("A dependency is a link")
  func dependency() {
    let scenario = Scenario(roles: [Role(name: "b", needs: ["a"], attempts: [2]), Role(name: "a")])
    #expect(path(scenario) == ["a opening - 0+1000+0", "b dependency a 0+2000+0"])
    #expect(slack(scenario).isEmpty)
  }

  @Test("With concurrency 1 the place is the link of what depends on nothing")
  func place() {
    let scenario = Scenario(roles: [Role(name: "a"), Role(name: "b"), Role(name: "c", needs: ["a"])])
    #expect(path(scenario) == ["a opening - 0+1000+0", "b place a 0+1000+0", "c place b 0+1000+0"])
  }

  @Test("Pauses between attempts are backoff, and belong to the share")
  func retries() {
    let scenario = Scenario(
      roles: [Role(name: "a", attempts: [0.1, 0.2]), Role(name: "b")], delay: 0.5, hasJitter: false)
    #expect(path(scenario) == ["a opening - 0+300+500", "b place a 0+1000+0"])
  }

  @Test("An attempt that fails and is retried frees no place")
  func noPlaceByRetry() {
    let scenario = Scenario(
      roles: [
        Role(name: "a", attempts: [0.2, 0.6]), Role(name: "b", attempts: [0.3]),
        Role(name: "c", attempts: [0.9], registered: 0.2),
      ], concurrency: 3, delay: 0.4, hasJitter: false)
    #expect(path(scenario) == ["a opening - 0+800+400"])
    let late = Scenario(
      roles: [Role(name: "a", attempts: [0.2, 0.6]), Role(name: "c", attempts: [3], registered: 0.5)], concurrency: 2,
      delay: 0.4, hasJitter: false)
    #expect(path(late) == ["c worker c 500+3000+0"])
  }

  @Test("A late worker's registration is the link, and the wait for it is queued")
  func worker() {
    var scenario = Scenario(
      roles: [Role(name: "w", needs: ["base"], attempts: [0.4], registered: 1), Role(name: "base", attempts: [0.3])])
    #expect(path(scenario) == ["base opening - 0+300+0", "w worker w 700+400+0"])
    scenario.roles.append(Role(name: "busy", attempts: [2]))
    #expect(path(scenario) == ["base opening - 0+300+0", "busy place base 0+2000+0", "w place busy 0+400+0"])
  }

  @Test("An initializer that joins a pass waited for its registration, or for a place")
  func joined() {
    var scenario = Scenario(
      roles: [Role(name: "a")], events: [(0.5, .workerRegistered(9, process: nil, [Registration("j")]))])
    #expect(path(scenario) == ["a opening - 0+1000+0", "j place a 0+1000+0"])
    scenario.concurrency = 2
    #expect(path(scenario) == ["j worker j 500+1000+0"])
    #expect(slack(scenario) == ["a 500"])
  }

  @Test("A run that was cancelled by its removal, and run again, is on the path twice")
  func again() {
    let scenario = Scenario(
      roles: [Role(name: "w", attempts: [2], registered: 0)],
      events: [
        (1, .workerUnregistered(by: 0, ["w"])), (2, .workerRegistered(0, process: nil, [Registration("w")])),
      ])
    #expect(path(scenario) == ["w opening - 0+1100+0", "w worker w 900+2000+0"])
  }

  @Test("In a failed pass the last to stop is the last of the path")
  func failed() {
    let scenario = Scenario(
      roles: [Role(name: "a"), Role(name: "b", attempts: [0.5], fails: true)], concurrency: 2)
    #expect(path(scenario) == ["a opening - 0+600+0"])
    #expect(slack(scenario) == ["b 100"])
  }

  @Test("A worker that never came is the last of the path")
  func missingWorker() {
    let scenario = Scenario(
      roles: [Role(name: "a"), Role(name: "w", needs: ["a"], registered: 500)], registrationTimeout: 2)
    #expect(path(scenario) == ["a opening - 0+1000+0", "w dependency a 2000+0+0"])
  }

  @Test("An active pass counts from its opening; a pause that its end cuts short is backoff")
  func cancelled() {
    let scenario = Scenario(
      roles: [
        Role(name: "l", attempts: [0.4]), Role(name: "a", attempts: [0.1, 0.1], priority: .appActive),
      ], delay: 5, events: [(0.2, .activated(hold: nil)), (1, .deactivated)], pass: 2)
    #expect(path(scenario) == ["a opening - 0+100+500"])
    #expect(abs(scenario.play().timeline.held - 0.2) < 0.001)
  }

  @Test("In flight the path ends with what runs, or pauses, or waits for its worker")
  func inFlight() {
    var scenario = Scenario(
      roles: [
        Role(name: "a"), Role(name: "b", needs: ["a"], attempts: [1, 1]), Role(name: "w", needs: ["b"], registered: 9),
      ], delay: 1, hasJitter: false, until: 0.5)
    #expect(path(scenario) == ["a opening - 0+500+0"])
    scenario.until = 2.5
    #expect(path(scenario) == ["a opening - 0+1000+0", "b dependency a 0+1000+500"])
    scenario.until = 5
    #expect(
      path(scenario) == ["a opening - 0+1000+0", "b dependency a 0+2000+1000", "w dependency b 1000+0+0"])
  }

  @Test("A pass that hasn't opened, and one without initializers, have no path")
  func empty() {
    #expect(path(Scenario(roles: [])).isEmpty)
    let held = Scenario(
      roles: [Role(name: "l"), Role(name: "a", priority: .appActive)], until: 0.5,
      events: [(0.1, .activated(hold: nil))], pass: 2)
    #expect(path(held).isEmpty)
  }

  @Test("Slack is limited by the end, by dependents, and by those that need the place")
  func slackOfOthers() {
    let roles = [
      Role(name: "a"), Role(name: "b", attempts: [0.4]), Role(name: "c", needs: ["b"], attempts: [0.3]),
    ]
    #expect(slack(Scenario(roles: roles, concurrency: 2)) == ["b 300", "c 300"])
    // d takes c's place.
    let more = roles + [Role(name: "d", attempts: [0.2])]
    #expect(slack(Scenario(roles: more, concurrency: 2)) == ["b 100", "c 100", "d 100"])
    // Once a has ended, x and z need both places, so y could have taken 500 ms longer.
    let full = Scenario(
      roles: [
        Role(name: "a"), Role(name: "y", attempts: [0.5]), Role(name: "x", needs: ["a"], attempts: [2]),
        Role(name: "z", needs: ["a"], attempts: [3]),
      ], concurrency: 2)
    #expect(slack(full) == ["y 500", "x 1000"])
    // With a third place, x takes another place.
    var free = full
    free.concurrency = 3
    #expect(slack(free) == ["x 1000", "y 3500"])
  }

  @Test("In random graphs each link is what happened at the start, and the shares add up", arguments: 0..<200)
  func random(_ seed: UInt64) {
    var generator = Seeded(state: seed)
    let scenario = Scenario.random(&generator, size: Int.random(in: 1...25, using: &generator))
    let timeline = scenario.play().timeline
    let path = CriticalPath(timeline)
    let timelines = Dictionary(uniqueKeysWithValues: timeline.initializers.map { ($0.name, $0) })
    let roles = Dictionary(uniqueKeysWithValues: scenario.roles.map { ($0.name, $0) })
    func near(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-5 }
    #expect(near(path.steps.reduce(0) { $0 + $1.share }, timeline.duration))
    var moment = timeline.opened
    for step in path.steps {
      guard let own = timelines[step.name], let role = roles[step.name] else { return #expect(Bool(false)) }
      let needed = role.needs.compactMap { timelines[$0]?.ended }.max() ?? timeline.opened
      let registered = role.registered.map { $0 + timeline.opened } ?? timeline.opened
      let earliest = max(needed, registered)
      switch step.link {
      case .opening: #expect(step.from == nil && role.needs.isEmpty && near(own.started, timeline.opened))
      case .dependency:
        #expect(role.needs.contains(step.from ?? "") && near(timelines[step.from ?? ""]?.ended ?? 0, needed))
        #expect(near(own.started, earliest) && near(moment, own.started))
      case .worker: #expect(step.from == step.name && near(own.started, registered) && registered > needed)
      case .launch: Issue.record("only one pass")
      case .place:
        #expect(near(timelines[step.from ?? ""]?.ended ?? 0, own.started) && own.started > earliest)
        #expect(near(moment, own.started))
      }
      moment += step.share
      #expect(near(moment, own.ended) && near(step.running, role.attempts.reduce(0, +)))
    }
  }

  @Test("In random graphs the slack is as a naive calculation says", arguments: 0..<200)
  func randomSlack(_ seed: UInt64) {
    var generator = Seeded(state: seed &+ 1000)
    let scenario = Scenario.random(&generator, size: Int.random(in: 1...25, using: &generator))
    let timeline = scenario.play().timeline
    let timelines = timeline.initializers.sorted { ($0.runs[0].run) < ($1.runs[0].run) }
    let roles = Dictionary(uniqueKeysWithValues: scenario.roles.map { ($0.name, $0) })
    var known: [String: Double] = [:]
    for (index, own) in timelines.enumerated().reversed() {
      let later = timelines[(index + 1)...]
      let starts = later.filter { $0.started > own.ended - 1e-5 }
      var bounds = [timeline.now - own.ended]
      for each in later where roles[each.name]?.needs.contains(own.name) == true {
        bounds.append(each.started - own.ended + (known[each.name] ?? 0))
      }
      let needy = starts.first { each in
        let before = timelines.prefix { $0.name != each.name }
        return before.count { $0.ended > each.started + 1e-5 } + 1 >= scenario.concurrency
      }
      if let needy { bounds.append(needy.started - own.ended + (known[needy.name] ?? 0)) }
      known[own.name] = max(0, bounds.min() ?? 0)
    }
    for each in CriticalPath(timeline).slack {
      #expect(abs(each.slack - (known[each.name] ?? -1)) < 1e-4, "\(each.name)")
    }
  }

  @Test("With a place for each, an initializer can take as much longer as its slack, and no more", arguments: 0..<50)
  func slackHolds(_ seed: UInt64) {
    var generator = Seeded(state: seed &+ 2000)
    var scenario = Scenario.random(&generator, size: 12)
    scenario.concurrency = 12
    scenario.hasJitter = false
    let timeline = scenario.play().timeline
    for each in CriticalPath(timeline).slack {
      for (extra, isLonger) in [(each.slack, false), (each.slack + 0.01, true)] {
        var longer = scenario
        let index = longer.roles.firstIndex { $0.name == each.name } ?? 0
        longer.roles[index].attempts[0] += extra
        #expect((longer.play().timeline.duration > timeline.duration + 1e-4) == isLonger)
      }
    }
  }

  @Test(
    "Launch is the link from launch to the active pass; its slack is how much later the active pass could have begun")
  func bothPhases() {
    let scenario = Scenario(
      roles: [
        Role(name: "static", attempts: [5]), Role(name: "check", attempts: [1], priority: .appActive),
        Role(name: "migrate", needs: ["check"], attempts: [2]),
        Role(name: "page", needs: ["migrate"], attempts: [3], priority: .appActive),
      ], concurrency: 4, events: [(1, .activated(hold: nil))], pass: 2)
    let timeline = scenario.playBoth().timeline
    let path = CriticalPath(timeline)
    let steps = path.steps.map { "\($0.name) \($0.phase?.rawValue ?? "-") \($0.link) \($0.from ?? "-")" }
    #expect(steps == ["static launch opening -", "page active launch static"])
    #expect(abs(path.steps.reduce(0) { $0 + $1.share } - timeline.duration) < 0.001)
    // Two that ended earlier in launch could have taken as long as static did.
    let slack = path.slack.map { "\($0.name) \($0.phase?.rawValue ?? "-") \(Int(($0.slack * 1000).rounded()))" }
    #expect(slack == ["check launch 2000", "check active 2000", "migrate launch 2000"])
  }

  @Test("Waiting for a place counts once, even if several of the path waited at the same time")
  func waitedForPlace() {
    func waited(_ scenario: Scenario) -> Int {
      Int((CriticalPath(scenario.play().timeline).waitedForPlace * 1000).rounded())
    }
    // b and c wait from the opening on, until 1 and 2; d waits for a from 0 to 1, and then for a place until 3.
    let roles = ["a", "b", "c"].map { Role(name: $0) } + [Role(name: "d", needs: ["a"])]
    #expect(waited(Scenario(roles: roles)) == 3000)
    #expect(waited(Scenario(roles: [Role(name: "a"), Role(name: "b", needs: ["a"])])) == 0)
    // After a, which nothing waited for, b and c need a place: only from 1 to 2.
    let late = [Role(name: "a"), Role(name: "b", needs: ["a"]), Role(name: "c", needs: ["a"])]
    #expect(waited(Scenario(roles: late)) == 1000)
  }
}
