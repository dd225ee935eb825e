import Fleet
import Testing

@Suite("When enough hosts have reached a state")
struct FleetGoalTests {
  /// Returns hosts that are ready (r), have failed in launch (f), wait (w), are launched but inactive (i), or have lost their supervisor
  /// (l).
  static func hosts(_ letters: String) -> [HostRecord] {
    letters.enumerated().map { number, letter in
      var host = HostRecord(host: "h\(number)", agent: "a", time: 0)
      switch letter {
      case "r":
        host.lifecycle = "active"
        host.launch = PhaseRecord.complete
        host.active = PhaseRecord.complete
      case "f":
        host.launch = PhaseRecord(.failed, error: .init(initializer: "migrate", message: "migrate failed"))
      case "i":
        host.launch = PhaseRecord.complete
        host.active = PhaseRecord.complete
      case "l":
        host.lifecycle = "active"
        host.launch = PhaseRecord.complete
        host.active = PhaseRecord.complete
        host.trouble = "its supervisor doesn't answer"
      default: host.running = ["migrate"]
      }
      return host
    }
  }

  @Test("A host hasn't failed as long as another one runs, or has completed, what it failed with")
  func retried() {
    let keys = FleetKeys(prefix: "/p", fleet: "f")
    var hosts = Self.hosts("fr")
    hosts[0].release = "v1"
    func verdict(_ kind: String, _ host: String, release: String = "v1", isSecret: Bool = false) -> FleetGoal.Verdict {
      let once = keys.once("migrate", release: release)
      let (key, value) =
        switch kind {
        case "claim": (once.claim, ClaimRecord(host: host, owner: "o").json())
        case "done": (once.done, DoneRecord(host: host, time: 0, fence: 1, output: nil, isSecret: isSecret).json())
        default: (once.failed, FailureRecord(host: host, time: 0, fence: 1, message: "").json())
        }
      return FleetGoal(.launch, all: true).verdict(hosts, once: OnceStatus.list([(key, value, 1)], keys))
    }
    #expect(FleetGoal(.launch, all: true).verdict(hosts) == .failed)
    #expect(verdict("claim", "h1") == .waiting)
    #expect(verdict("done", "h1") == .waiting)
    // It runs it itself, the others too; or they have given up.
    #expect(verdict("claim", "h0") == .failed)
    #expect(verdict("done", "h1", isSecret: true) == .failed)
    #expect(verdict("failed", "h1") == .failed)
    #expect(verdict("claim", "h1", release: "v2") == .failed)
  }

  @Test(
    "All hosts, at least one",
    arguments: [
      ("", FleetGoal.Verdict.waiting), ("r", .reached), ("rrr", .reached), ("rrw", .waiting), ("rri", .waiting),
      ("rrl", .waiting), ("rrf", .failed), ("wwf", .failed),
    ])
  func all(hosts: String, verdict: FleetGoal.Verdict) {
    #expect(FleetGoal(.ready, all: true).verdict(Self.hosts(hosts)) == verdict)
  }

  @Test(
    "A number of hosts: it fails only if enough have joined, and too many have failed",
    arguments: [
      ("rr", FleetGoal.Verdict.waiting), ("rrr", .reached), ("rrrf", .reached), ("rrf", .failed), ("rf", .waiting),
      ("rrwf", .waiting), ("rrff", .failed),
    ])
  func count(hosts: String, verdict: FleetGoal.Verdict) {
    #expect(FleetGoal(.ready, count: 3).verdict(Self.hosts(hosts)) == verdict)
  }

  @Test(
    "A part of the hosts, rounded up",
    arguments: [
      ("", FleetGoal.Verdict.waiting), ("r", .reached), ("rw", .reached), ("rww", .waiting), ("rrw", .reached),
      ("rff", .failed), ("rwf", .waiting), ("ff", .failed),
    ])
  func percent(hosts: String, verdict: FleetGoal.Verdict) {
    #expect(FleetGoal(.ready, percent: 50).verdict(Self.hosts(hosts)) == verdict)
  }

  @Test("Several conditions must all hold")
  func combination() {
    let goal = FleetGoal(.ready, all: true, count: 3)
    #expect(goal.verdict(Self.hosts("rr")) == .waiting)
    #expect(goal.verdict(Self.hosts("rrr")) == .reached)
    #expect(goal.verdict(Self.hosts("rrrw")) == .waiting)
  }

  @Test("With a release, hosts of others don't count, even if they are ready or have failed")
  func release() {
    var hosts = Self.hosts("rrrf")
    for (place, release) in ["v1", "v1", "v2", "v1"].enumerated() { hosts[place].release = release }
    #expect(FleetGoal(.ready, count: 2).verdict(hosts) == .reached)
    #expect(FleetGoal(.ready, count: 2, release: "v2").verdict(hosts) == .waiting)
    #expect(FleetGoal(.ready, count: 1, release: "v2").verdict(hosts) == .reached)
    #expect(FleetGoal(.ready, all: true, release: "v2").verdict(hosts) == .waiting)
    #expect(hosts[0].progress(to: .ready, release: "v2") == .waiting("its release is v1"))
    hosts[0].release = nil
    #expect(hosts[0].progress(to: .ready, release: "v2") == .waiting("its release isn't known"))
    // A host of the new release has failed.
    hosts[3].release = "v2"
    hosts[2].trouble = "lost"
    #expect(FleetGoal(.ready, all: true, release: "v2").verdict(hosts) == .failed)
  }

  @Test("With a release and a number of hosts, no failure is final: other hosts may still launch the release")
  func open() {
    var hosts = Self.hosts("fw")
    hosts[0].release = "v2"
    let goal = FleetGoal(.ready, count: 1, release: "v2")
    #expect(goal.verdict(Array(hosts[..<1])) == .waiting)
    #expect(goal.verdict(hosts) == .waiting)
    #expect(FleetGoal(.ready, count: 1).verdict(Array(hosts[..<1])) == .failed)
    #expect(FleetGoal(.ready, all: true, count: 1, release: "v2").verdict(Array(hosts[..<1])) == .failed)
    #expect(FleetGoal(.ready, percent: 100, release: "v2").verdict(Array(hosts[..<1])) == .failed)
    hosts[1] = Self.hosts("xr")[1]
    hosts[1].release = "v2"
    #expect(goal.verdict(hosts) == .reached)
  }

  @Test("Launch doesn't need an active app; ready does, and composite only completion")
  func targets() {
    let host = Self.hosts("i")
    #expect(FleetGoal(.launch, all: true).verdict(host) == .reached)
    #expect(FleetGoal(.active, all: true).verdict(host) == .reached)
    #expect(FleetGoal(.composite, all: true).verdict(host) == .reached)
    #expect(FleetGoal(.ready, all: true).verdict(host) == .waiting)
    #expect(host[0].progress(to: .ready) == .waiting("the app isn't active"))
  }

  @Test("The reason is reported")
  func reasons() {
    #expect(Self.hosts("f")[0].progress(to: .ready) == .failed("launch failed: migrate failed"))
    #expect(Self.hosts("w")[0].progress(to: .ready) == .waiting("migrate is running"))
    #expect(Self.hosts("l")[0].progress(to: .launch) == .waiting("its supervisor doesn't answer"))
    var idle = Self.hosts("w")[0]
    idle.running = nil
    #expect(idle.progress(to: .ready) == .waiting("launch is pending"))
    idle.running = ["a", "b"]
    #expect(idle.progress(to: .ready) == .waiting("a, b are running"))
    idle.waiting = ["migrate (runs on c)"]
    #expect(idle.progress(to: .ready) == .waiting("a, b are running; migrate (runs on c) waits"))
    idle.running = nil
    #expect(idle.progress(to: .ready) == .waiting("migrate (runs on c) waits"))
  }
}
