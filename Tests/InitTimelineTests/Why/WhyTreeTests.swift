import InitJSON
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

struct WhyTreeTests {
  @Test("Readiness is what the phases wait for themselves, and the inactive app")
  func readiness() throws {
    let status = Status.fake(
      [
        .fake("a", .complete).ran(for: 1), .fake("b", .running).ran(), .fake("c", .waiting, after: "b"),
        .fake("w", .waiting, provider: .worker) { $0.available = false }, .fake("z", .idle, priority: .appActive),
      ], lifecycle: .inactive)
    let why = try #require(Explanation.readiness(status))
    #expect(why.outline == "ready(launch(b,w),app)")
    #expect((why.status, why.since) == ("pending", 990))
    #expect(why.because[0].message == "1 of 4 complete")
    #expect(why.first.name == "b")
  }

  @Test("What waits in a pass has waited since the pass could begin")
  func opening() throws {
    var status = Status.fake([.fake("b", .running).ran(), .fake("c", .waiting, after: "b")])
    status.inFlight = [
      Status.PassInFlight(pass: 1, phase: .launch, opened: 985),
      Status.PassInFlight(pass: 2, phase: .active, opened: nil),
    ]
    let why = try #require(Explanation.readiness(status))
    #expect((why.since, why.because[0].since, why.because[0].because[0].since) == (985, 985, 990))
    #expect(WhyTree.why(.initializer("c"), in: Situation(status))?.since == 985)
  }

  @Test("The active phase says if it waits for launch although it depends on nothing that launch still runs")
  func needlessLaunch() throws {
    func detail(_ needed: String) throws -> String {
      let status = Status.fake(
        [
          .fake("migrate", .complete).ran(for: 1), .fake("tables", .complete, after: "migrate").ran(for: 1),
          .fake("static", .running).ran(), .fake("page", .waiting, after: needed, priority: .appActive),
        ], active: Status.State(.pending, pass: 2))
      return try #require(WhyTree.why(.state(.active), in: Situation(status))).detail
    }
    #expect(try detail("tables") == "waits for launch, although it depends on nothing that launch still runs")
    #expect(try detail("static") == "waits for launch")
  }

  @Test("It is complete only if the app is active; the composite is complete without that")
  func complete() throws {
    let done = Status.State(.complete, pass: 1)
    let ready = Status.fake([], launch: done, active: done)
    #expect(try #require(Explanation.readiness(ready)) == Explanation("ready", "complete"))
    let inactive = Status.fake(
      [.fake("z", .complete, priority: .appActive).ran(for: 1)], launch: done, active: done, lifecycle: .inactive)
    let why = try #require(Explanation.readiness(inactive))
    #expect((why.status, why.outline) == ("pending", "ready(app)"))
    #expect(WhyTree.why(.composite, in: Situation(inactive))?.status == "complete")
  }

  @Test("Without an initializer of the active phase, launch makes an inactive app ready (S1)")
  func withoutActivePhase() throws {
    let pending = Status.fake([.fake("a", .running).ran()], lifecycle: .inactive)
    #expect(try #require(Explanation.readiness(pending)).outline == "ready(launch(a))")
    let done = Status.fake([], launch: Status.State(.complete, pass: 1), lifecycle: .inactive)
    #expect(try #require(Explanation.readiness(done)) == Explanation("ready", "complete"))
  }

  @Test("A failure is followed to the initializer that failed; through launch, if active failed with its error")
  func failure() throws {
    let failed = Initializer.fake("a", .failed).ran(for: 1).failing()
    let state = Status.State(.failed, error: .exit3("a"), pass: 1)
    let status = Status.fake([failed], launch: state, active: state)
    #expect(try #require(Explanation.readiness(status)).outline == "ready(launch(a))")
    #expect(WhyTree.why(.active, in: Situation(status))?.outline == "active(launch(a))")
    #expect(Explanation.readiness(status)?.status == "failed")
    #expect(
      try #require(Explanation.readiness(status)).outputs(limit: 3) == [
        Explanation.Told(name: "a", run: 7, isRunning: false)
      ])
  }

  @Test("The output of what failed comes before that of commands that run")
  func outputs() throws {
    let running = Initializer.fake("b", .running) { $0.pid = 12 }.ran()
    var failed = Initializer.fake("a", .waiting) {
      $0.attempts = 3
      $0.nextAttempt = 1001.25
    }.ran(for: 1)
      .failing()
    failed.run = 8
    let status = Status.fake([running, .fake("w", .running, provider: .worker).ran(), failed], concurrency: 3)
    let why = try #require(Explanation.readiness(status))
    let a = Explanation.Told(name: "a", run: 8, isRunning: false)
    let b = Explanation.Told(name: "b", run: 7, isRunning: true)
    #expect(why.outputs(limit: 3) == [a, b])
    #expect(why.outputs(limit: 1) == [a])
    #expect(why.because[0].because[0].pid == 12 && why.because[0].because[0].detail == "pid 12")
  }

  @Test("A kept process that doesn't run is shown beside readiness, and for what waits for a worker")
  func processes() throws {
    let done = Status.State(.complete, pass: 1)
    var status = Status.fake([], launch: done, active: done)
    status.processes = [
      Status.Process(name: "up", pid: 4, uptime: 60, restarts: 1, lastExit: .exit(status: 3)),
      Status.Process(name: "down", restarts: 2, lastExit: .exit(status: 3), nextStart: 1004),
    ]
    let why = try #require(Explanation.readiness(status))
    #expect((why.status, why.outline) == ("complete", "ready(down)"))
    #expect(why.outputs(limit: 3) == [Explanation.Told(name: "down", run: 3, isRunning: false)])
    #expect(
      why.because[0].advice(now: 1000)
        == "the process down doesn't run: starts again in 4 s, 2 restarts, last: exit status 3; see initctl logs down")
    #expect(WhyTree.why(.composite, in: Situation(status))?.outline == "composite")
    status.processes?.removeLast()
    #expect(Explanation.readiness(status) == Explanation("ready", "complete"))

    var waiting = Status.fake([.fake("w", .waiting, provider: .worker) { $0.available = false }])
    waiting.processes = [Status.Process(name: "p", restarts: 9, lastExit: .exit(status: 3), givenUp: true)]
    let tree = try #require(Explanation.of("w", waiting))
    #expect(tree.outline == "w(p)")
    #expect(tree.first.remedy == "see initctl logs p, fix it, and start it with initctl start p")
  }

  @Test("The start of a process that isn't running shows when it is started again")
  func startOfProcess() throws {
    var status = Status.fake([.fake("web", .running, provider: .process).ran()])
    status.processes = [Status.Process(name: "web", restarts: 1, lastExit: .exit(status: 3), nextStart: 1002)]
    let why = try #require(Explanation.of("web", status))
    #expect(why.outline == "web(web)")
    #expect(why.because[0].detail == "starts again in 2 s, 1 restart, last: exit status 3")
    status.processes = [Status.Process(name: "web", pid: 4, uptime: 1)]
    #expect(Explanation.of("web", status)?.outline == "web")
  }

  @Test("A pass is its phase's, unless another pass of the phase has followed; unknown names have no tree")
  func targets() {
    let situation = Situation(.fake([.fake("a", .running).ran()]))
    #expect(WhyTree.why(.pass(1), in: situation)?.name == "launch")
    #expect(WhyTree.why(.pass(2), in: situation) == nil)
    #expect(WhyTree.why(.initializer("b"), in: situation) == nil)
  }

  @Test("A stopping pass shows what failed first, then what still stops")
  func stopping() throws {
    let status = Status.fake(
      [.fake("slow", .stopping).ran(), .fake("a", .failed).ran(for: 1).failing()], concurrency: 2)
    #expect(try #require(Explanation.readiness(status)).outline == "ready(launch(a,slow))")
  }

  @Test("A pass that keeps going shows each failure: optional ones last, unless they prevented others")
  func keepsGoing() throws {
    func failed(_ name: String, isOptional: Bool) -> Initializer {
      Initializer.fake(name, .failed) { $0.optional = isOptional ? true : nil }.ran(for: 1).failing()
    }
    let blocked = Initializer.fake("needs", .notRun, after: "flags") { $0.blockedBy = "flags" }
    let status = Status.fake([
      failed("ads", isOptional: true), failed("flags", isOptional: true), failed("tables", isOptional: false), blocked,
      .fake("slow", .running).ran(),
    ])
    let launch = try #require(WhyTree.why(.state(.launch), in: Situation(status)))
    #expect(launch.outline == "launch(flags,tables,slow,ads)")
  }

  @Test("What failed because no worker registered it names the processes that don't run")
  func neverRegistered() throws {
    let lost = Initializer.fake("w", .failed, provider: .worker) {
      $0.available = false
      $0.error = InitializationError(
        initializer: "w", reason: .initializerFailed(cause: .workerLost),
        message: "w failed: its worker is not connected")
    }
    var status = Status.fake([lost], launch: Status.State(.failed, error: lost.error, pass: 1))
    var process = Status.Process(name: "loopy", restarts: 9, lastExit: .exit(status: 7))
    process.givenUp = true
    status.processes = [process]
    #expect(try #require(Explanation.of("w", status)).outline == "w(loopy)")
  }

  @Test("Only an activation ends a wait for readiness, the active phase and its initializers in an inactive app")
  func activationNeeded() throws {
    let shapes = [
      Initializer.fake("a", .complete), .fake("z", .idle, priority: .appActive),
      .fake("early", .waiting, priority: .appActive), .fake("b", .running, after: "early").ran(),
    ]
    let targets: [WaitTarget] =
      [.ready, .composite, .active, .launch] + ["a", "z", "early", "b"].map { .initializer($0) }
    func needed(_ status: Status) -> [String] {
      targets.filter(Situation(status).needsActivation).map(\.description)
    }
    #expect(needed(.fake(shapes, lifecycle: .inactive)) == ["ready", "composite", "active", "z"])
    #expect(needed(.fake(shapes, lifecycle: .active)) == [])
    let failed = Status.State(.failed, error: .exit3("a"), pass: 1)
    #expect(needed(.fake(shapes, launch: failed, lifecycle: .inactive)) == [])
    let done = Status.State(.complete, pass: 2)
    #expect(needed(.fake(shapes, launch: done, active: done, lifecycle: .inactive)) == ["ready", "z", "early"])
  }

  @Test("Shared dependencies are explained once: a ladder has as many nodes as rungs, not as many as paths")
  func shared() throws {
    var all = [Initializer.fake("0", .running).ran()]
    for rung in 1...8 {
      let below = rung == 1 ? ["0"] : ["\(rung - 1)a", "\(rung - 1)b"]
      for side in ["a", "b"] {
        var shape = Initializer.fake("\(rung)\(side)", .waiting)
        shape.dependencies = below
        all.append(shape)
      }
    }
    let why = try #require(Explanation.of("8a", .fake(all)))
    #expect(why.count < 40)
    #expect(why.first.name == "0")
    #expect(why.because[1].message == "waits for 6a and 6b")
  }

  @Test("A name that is explained above is only named")
  func above() throws {
    let status = Status.fake([
      .fake("0", .running).ran(), .fake("a", .waiting, after: "0"), .fake("b", .waiting, after: "a"),
      .fake("c", .waiting, after: "a", "b"),
    ])
    let why = try #require(Explanation.of("c", status))
    #expect(why.outline == "c(a(0),b(a))")
    #expect(why.because[1].because[0].message == "waits for 0 (see above)")
  }

  @Test("Of the causes that are listed above, three are named again")
  func repeated() throws {
    let running = ["1", "2", "3", "4"].map { Initializer.fake($0, .running).ran() }
    let status = Status.fake(
      running + [
        .fake("a", .waiting, after: "1", "2", "3", "4"), .fake("b", .waiting, after: "1", "2", "3", "4"),
        .fake("c", .waiting, after: "a", "b"),
      ], concurrency: 9)
    #expect(try #require(Explanation.of("c", status)).outline == "c(a(1,2,3,4),b(1,2,3))")
  }

  @Test("What was complete in an earlier active pass isn't in this one")
  func tally() throws {
    let done = Status.State(.complete, pass: 1)
    let status = Status.fake(
      [
        .fake("a", .complete, priority: .appActive).ran(for: 1, in: .active, pass: 3),
        .fake("b", .complete, priority: .appActive).ran(for: 1, in: .active, pass: 2),
      ], launch: done, active: Status.State(.pending, pass: 3))
    let why = try #require(WhyTree.why(.active, in: Situation(status)))
    #expect(why.detail == "1 of 2 complete")
  }

  @Test("A long chain is cut in the middle: its end is shown, and how many are between")
  func chain() throws {
    var all = [Initializer.fake("0", .running).ran()]
    all += (1...10_000).map { .fake("\($0)", .waiting, after: "\($0 - 1)") }
    let why = try #require(Explanation.of("10000", .fake(all)))
    #expect(why.depth < 16)
    #expect(why.first.name == "0" && why.first.status == "running")
    var last = why
    while let next = last.because.first, !next.because.isEmpty { last = next }
    #expect(last.message == "waits for 9989, and through 9989 others for what follows")
    #expect(try why.json().count < 5000)
  }

  @Test("Its JSON has the documented members, at most 32 levels deep, and can be read again")
  func json() throws {
    let status = Status.fake([.fake("a", .running).ran(), .fake("b", .waiting, after: "a")])
    let why = try #require(Explanation.of("b", status))
    #expect(
      String(decoding: try why.json(), as: UTF8.self)
        == #"{"name":"b","status":"waiting","since":990,"message":"waits for a","because":"#
        + #"[{"name":"a","status":"running","since":990,"message":"","because":[]}]}"#)
    let again: Explanation = try RawJSON(checking: why.json()).read()
    #expect(again == why)
  }
}
