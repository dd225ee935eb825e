import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

/// The properties of an initializer in a Status that a test sets.
private struct Role {
  var name: String
  var needs: [String] = []
  var priority = Priority.appLaunch
  var status = InitializerStatus.idle
  var pass: Int?
  var phase: Phase?
}

private func status(
  _ roles: [Role], launch: Status.State = Status.State(.pending), active: Status.State = Status.State(.pending),
  _ lifecycle: Lifecycle = .inactive
) -> Status {
  Status(
    seq: 0, time: 0, instance: "", pid: 1, uptime: 0, lifecycle: lifecycle, launch: launch, active: active,
    composite: Status.State(.pending), holds: 0, concurrency: 1,
    initializers: roles.map {
      Initializer(
        name: $0.name, priority: $0.priority, dependencies: $0.needs, provider: .command, available: true,
        status: $0.status, pass: $0.pass, phase: $0.phase)
    }, workers: [])
}

@Suite("UpcomingPass")
struct UpcomingPassTests {
  private let roles = [
    Role(name: "menu", needs: ["session", "migrate"], priority: .appActive),
    Role(name: "last", needs: ["session", "first"]), Role(name: "first"), Role(name: "migrate"),
    Role(name: "session", priority: .appActive),
  ]

  private func roles(_ change: (inout Role) -> Void) -> [Role] {
    roles.map {
      var role = $0
      change(&role)
      return role
    }
  }

  @Test("S3, S4, S6: before launch, both phases are planned in depth-first order")
  func beforeLaunch() {
    let status = status(roles)
    #expect(
      PlannedPasses(status)
        == PlannedPasses(launch: ["session", "first", "last", "migrate"], active: ["session", "menu"]))
  }

  @Test("S9: a complete launch isn't repeated; S10: a complete active pass is")
  func afterBoth() {
    let done = roles { $0.status = .complete }
    let status = status(
      done, launch: Status.State(.complete, pass: 1), active: Status.State(.complete, pass: 2), .active)
    #expect(PlannedPasses(status) == PlannedPasses(launch: [], active: ["session", "menu"]))
  }

  @Test("S9: a failed launch runs again what has not completed in launch")
  func afterFailure() {
    let failed = roles {
      $0.pass = 1
      $0.phase = .launch
      $0.status = ["session": .complete, "first": .failed][$0.name] ?? .notRun
    }
    let status = status(failed, launch: Status.State(.failed, pass: 1))
    #expect(UpcomingPass(.launch, status).names == ["first", "last", "migrate"])
  }

  @Test("S9: an active dependency whose last run was in an active pass has completed in launch if its dependent has")
  func dependencyOfComplete() {
    let mixed = roles {
      $0.status = .complete
      $0.phase = $0.name == "session" ? .active : .launch
    }
    // A launch initializer that was registered later has failed.
    let status = status(
      mixed + [Role(name: "new", needs: ["session"], status: .failed)], launch: Status.State(.failed, pass: 3))
    #expect(UpcomingPass(.launch, status).names == ["new"])
  }

  @Test("S10: of a pass in flight, what has not completed in it is left")
  func inFlight() {
    let running = roles {
      $0.pass = 2
      $0.status = $0.name == "menu" ? .running : .complete
    }
    let joined = status(
      running, launch: Status.State(.complete, pass: 1), active: Status.State(.pending, pass: 2), .active)
    #expect(UpcomingPass(.active, joined).names == ["menu"])
    // S11: after a cancellation the next pass runs all of it.
    let cancelled = status(running, launch: Status.State(.complete, pass: 1), active: Status.State(.pending, pass: 2))
    #expect(UpcomingPass(.active, cancelled).names == ["session", "menu"])
  }

  @Test("S5: a cycle fails the pass before it runs anything")
  func cycle() {
    let pass = UpcomingPass(
      .launch, status([Role(name: "a", needs: ["b"]), Role(name: "b", needs: ["a"]), Role(name: "c")]))
    #expect(pass.names.isEmpty)
    #expect(pass.failure == "cannot run a: circular dependency a -> b -> a")
  }

  @Test("S20: a name that nobody has declared isn't run; the pass waits for it")
  func undeclared() {
    let pass = UpcomingPass(.launch, status([Role(name: "a", needs: ["z"])]))
    #expect(pass.names == ["a"])
    #expect(pass.undeclared == ["z"])
    #expect(pass.failure == nil)
  }

  @Test("S8: a launch initializer that failed and was optional blocks its active dependents")
  func lostDependency() {
    var roles = [
      Role(name: "extra", status: .failed), Role(name: "menu", needs: ["extra"], priority: .appActive),
      Role(name: "other", priority: .appActive),
    ]
    let launched = Status.State(.complete, pass: 1)
    let first = UpcomingPass(.active, status(roles, launch: launched))
    #expect(first.names.isEmpty)
    #expect(first.failure == "extra failed: a dependency failed")
    // An active pass that completed nevertheless shows that the dependent is also optional.
    roles[1].status = .notRun
    let second = UpcomingPass(.active, status(roles, launch: launched, active: Status.State(.complete, pass: 2)))
    #expect(second.names == ["other"])
  }
}
