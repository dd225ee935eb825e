import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

struct ReasonTests {
  private func why(_ name: String, _ status: Status) throws -> (outline: String, message: String) {
    let why = try #require(Explanation.of(name, status))
    return (why.outline, why.message)
  }

  @Test("One that waits for dependencies names them, down to what runs; complete ones are left out")
  func dependencies() throws {
    let status = Status.fake([
      .fake("done", .complete).ran(for: 1), .fake("a", .running).ran(), .fake("b", .waiting, after: "a"),
      .fake("c", .waiting, after: "done", "b", "a"),
    ])
    #expect(try why("c", status) == ("c(b(a),a)", "waits for b and a"))
  }

  @Test("A name that nobody declared is the cause, with the nearest name")
  func undeclared() throws {
    let status = Status.fake([.fake("toggles", .complete).ran(for: 1), .fake("a", .waiting, after: "togles")])
    #expect(try why("a", status) == ("a(togles)", "waits for togles"))
    let cause = try #require(Explanation.of("a", status)?.because.first)
    #expect(cause.status == "undeclared")
    #expect(cause.message == "declare it, or start the worker that registers it; did you mean \"toggles\"?")
    var failed = Initializer.fake("a", .failed, after: "togles")
    failed.error = InitializationError(
      initializer: "a", reason: .missingDependency(dependency: "togles"), message: "cannot run a: no togles")
    #expect(try why("a", .fake([failed])).outline == "a(togles)")
  }

  @Test("A worker that never came, and one that has disconnected (S20, S21)")
  func providers() throws {
    let never = Initializer.fake("a", .waiting, provider: .worker) { $0.available = false }
    #expect(try why("a", .fake([never])).message == "no worker provides it; start the worker that registers it")
    let lost = Initializer.fake("a", .waiting, provider: .worker) {
      $0.available = false
      $0.run = 4
    }
    #expect(try why("a", .fake([lost])).message == "its worker has disconnected; restart the worker that provided it")
    let complete = Initializer.fake("a", .complete, provider: .worker) { $0.available = false }.ran(for: 1)
    #expect(
      try why("a", .fake([complete])).message == "its worker has disconnected; restart the worker that provided it")
  }

  @Test("With all places taken, those that take them are the cause: also one between two attempts (S6, S16)")
  func places() throws {
    let delayed = Initializer.fake("b", .waiting) {
      $0.attempts = 3
      $0.nextAttempt = 1001.25
    }.ran(for: 1)
    let status = Status.fake(
      [.fake("a", .running).ran(), delayed.failing(), .fake("c", .waiting)], concurrency: 2)
    #expect(try why("c", status) == ("c(a,b)", "waits for a place: all 2 are taken by a and b"))
    #expect(try why("b", status) == ("b", "attempt 1 of 3, next in 1.3 s, exit status 3"))
    let free = Status.fake([.fake("a", .running).ran(), .fake("c", .waiting)], concurrency: 2)
    #expect(try why("c", free) == ("c", "waits for its turn"))
  }

  @Test("What runs again holds those below it, through what is still complete (S30)")
  func above() throws {
    let migrate = Initializer.fake("migrate", .running).ran()
    let seed = Initializer.fake("seed", .complete, after: "migrate").ran(for: 1)
    let status = Status.fake([migrate, seed, .fake("web", .waiting, after: "seed")], concurrency: 2)
    #expect(try why("web", status) == ("web(migrate)", "waits for migrate"))
  }

  @Test("A process whose start was too late is up again, and launch is retried by itself (S32)")
  func late() throws {
    let web = Initializer.fake("web", .failed, provider: .process).ran(for: 1).failing()
    let state = Status.State(.failed, error: .exit3("web"), pass: 1)
    func message(_ processes: [Status.Process], _ others: Initializer...) throws -> String? {
      var status = Status.fake([web] + others, launch: state)
      status.processes = processes
      return try why("web", status).message
    }
    var process = Status.Process(name: "web", restarts: 0)
    let retry = "exit status 3; fix it, then retry with initctl launch"
    #expect(try message([process]) == retry)
    process.nextStart = 1001
    #expect(
      try message([process])
        == "exit status 3; it is about to be started again; launch is retried by itself once it is ready")
    process.nextStart = nil
    process.pid = 4711
    let isBack = "exit status 3; it was started again; launch is retried by itself once it is ready"
    #expect(try message([process]) == isBack)
    #expect(try message([process], .fake("tables", .failed).ran(for: 1).failing()) == retry)
    let ads = Initializer.fake("ads", .failed) { $0.optional = true }
    #expect(try message([process], ads.ran(for: 1).failing()) == isBack)
  }

  @Test("An active initializer waits for launch; a launch initializer for runs of the active phase (S4, S19)")
  func phases() throws {
    let session = Initializer.fake("session", .waiting, priority: .appActive)
    let held = Status.fake(
      [.fake("a", .running).ran(), session], active: Status.State(.pending, pass: 2))
    #expect(
      try why("session", held)
        == ("session(launch(a))", "waits for launch, although it depends on nothing that launch still runs"))
    let running = Initializer.fake("s", .running, priority: .appActive).ran(in: .active, pass: 2)
    let back = Status.fake([.fake("late", .waiting), running], active: Status.State(.pending, pass: 2))
    #expect(try why("late", back) == ("late(s)", "waits for the end of s"))
  }

  @Test("One that isn't in a pass says what starts one")
  func idle() throws {
    let session = Initializer.fake("s", .idle, priority: .appActive)
    let complete = Status.State(.complete, pass: 1)
    #expect(
      try why("s", .fake([session], launch: complete, lifecycle: .inactive))
        == ("s", "the app is inactive; make it active with initctl activate"))
    let unlaunched = Status.fake([.fake("a", .idle)], launch: Status.State(.pending))
    #expect(try why("a", unlaunched) == ("a", "launch has not been started; start it with initctl launch"))
    let failed = Status.fake(
      [.fake("b", .failed).ran(for: 1).failing(), .fake("a", .idle)],
      launch: Status.State(.failed, error: .exit3("b"), pass: 1))
    #expect(try why("a", failed).outline == "a(launch(b))")
  }

  @Test("If the one that failed was removed since, or registered again, its phase has the error, and what to do")
  func failedAndGone() throws {
    let state = Status.State(.failed, error: .exit3("a"), pass: 1)
    let again = Status.fake([.fake("a", .idle), .fake("c", .idle)], launch: state)
    for status in [again, .fake([.fake("c", .idle)], launch: state)] {
      let first = try #require(Explanation.readiness(status)).first
      #expect(first.name == "launch")
      #expect(first.message == "a failed: exit status 3; fix it, then retry with initctl launch")
    }
    #expect(try why("a", again).outline == "a(launch)")
  }

  @Test("What was cancelled, or not run, names the one that failed first (S8)")
  func failedFirst() throws {
    let failed = Initializer.fake("tables", .failed).ran(for: 1).failing()
    let cancelled = Initializer.fake("slow", .cancelled) { $0.blockedBy = "tables" }.ran(for: 2)
    let notRun = Initializer.fake("late", .notRun) { $0.blockedBy = "tables" }
    let status = Status.fake(
      [failed, cancelled, notRun], launch: Status.State(.failed, error: .exit3("tables"), pass: 1))
    #expect(try why("slow", status) == ("slow(tables)", "stopped because tables failed first"))
    #expect(try why("late", status) == ("late(tables)", "not run because tables failed first"))
    #expect(try why("tables", status) == ("tables", "exit status 3; fix it, then retry with initctl launch"))
  }

  @Test("An optional failure isn't retried while its pass goes on (S8, S10)")
  func optionalFailure() throws {
    let failed = Initializer.fake("ads", .failed) { $0.optional = true }.ran(for: 1).failing()
    let others = [Initializer.fake("tables", .running).ran()]
    #expect(
      try why("ads", .fake([failed] + others)).message
        == "optional, exit status 3; launch goes on without it; fix it, then run it again with initctl rerun ads"
    )
    // Once launch has failed for another reason, a retry runs it again (S9).
    let ended = Status.fake([failed] + others, launch: Status.State(.failed, error: .exit3("tables"), pass: 1))
    #expect(try why("ads", ended).message == "optional, exit status 3; fix it, then retry with initctl launch")
  }

  @Test("What to do about a failure depends on its phase, and on its worker")
  func afterFailure() throws {
    let failed = Initializer.fake("tables", .failed).ran(for: 1).failing()
    let done = Status.State(.complete, pass: 1)
    #expect(
      try why("tables", .fake([failed], launch: done)).message
        == "exit status 3; launch is complete without it; fix it, then run it again with initctl rerun tables")
    var active = Initializer.fake("tables", .failed, priority: .appActive).ran(for: 1, in: .active).failing()
    #expect(
      try why("tables", .fake([active], launch: done, active: done)).message
        == "exit status 3; the active phase is complete without it; fix it, then run it again with initctl rerun tables"
    )
    #expect(
      try why("tables", .fake([active], launch: done, active: done, lifecycle: .inactive)).message
        == "exit status 3; the active phase is complete without it; fix it, then the next activation runs it again")
    let changed = failed.changed()
    #expect(
      try why("tables", .fake([changed], launch: Status.State(.failed, error: .exit3("tables"), pass: 1))).message
        == "exit status 3; its definition has changed since then: retry with initctl launch")
    var cancelled = failed
    cancelled.error = InitializationError(
      initializer: "tables", reason: .initializerFailed(cause: .operator(user: "ops")),
      message: "tables failed: cancelled by ops")
    #expect(
      try why("tables", .fake([cancelled], launch: Status.State(.failed, error: cancelled.error, pass: 1))).message
        == "cancelled by ops; retry with initctl launch")
    active.error = InitializationError(
      initializer: "tables", reason: .initializerFailed(cause: .workerLost),
      message: "tables failed: its worker is not connected")
    let failing = Status.fake([active], launch: done, active: Status.State(.failed, error: active.error, pass: 2))
    #expect(
      try why("tables", failing).message
        == "its worker is not connected; its worker is connected now: retry with initctl activate")
  }

  @Test("A process that is up since an earlier pass says so, whatever has failed in this one")
  func upAlthoughNotRun() throws {
    let failed = Initializer.fake("tables", .failed).ran(for: 1).failing()
    let web = Initializer.fake("web", .notRun, provider: .process) { $0.blockedBy = "tables" }
    var status = Status.fake([failed, web], launch: Status.State(.failed, error: .exit3("tables"), pass: 1))
    #expect(Situation(status).phrase(of: web) == "not run")
    #expect(try why("web", status) == ("web(tables)", "not run because tables failed first"))
    var process = Status.Process(name: "web", restarts: 0, lastExit: nil)
    process.pid = 7
    process.uptime = 3
    status.processes = [process]
    #expect(Situation(status).phrase(of: web) == "up")
    #expect(try why("web", status) == ("web(tables)", "not run again because tables failed first"))
  }

  @Test("Progress, attempts and stopping are reported; a run that takes longer than usual points to its output")
  func running() throws {
    let run = Initializer.fake("a", .running) {
      $0.attempts = 4
      $0.progress = Initializer.Progress(fraction: 0.5, message: "half")
    }.ran()
    var second = run
    second.attempt = 2
    #expect(try why("a", .fake([second])).message == "attempt 2 of 4, 50% half")
    let usual = Usual(
      phase: .launch, passes: 3, duration: 2, initializers: [Usual.Initializer(name: "a", running: 1)])
    let slow = try #require(Explanation.of("a", .fake([run]), usual: [usual]))
    #expect((slow.usual, slow.since) == (1, 990))
    #expect(slow.message == "50% half; that is longer than usual: see initctl logs a")
    // At 1000 it has run for 10 s: no more than twice its usual duration and a second.
    for (running, message) in [(4.5, "50% half"), (4.4, "50% half; that is longer than usual: see initctl logs a")] {
      let usual = Usual(
        phase: .launch, passes: 3, duration: 9, initializers: [Usual.Initializer(name: "a", running: running)])
      #expect(Explanation.of("a", .fake([run]), usual: [usual])?.message == message)
    }
    var stopping = run
    stopping.status = .known(.stopping)
    #expect(try why("a", .fake([stopping])).message == "it was told to stop, 50% half")
    stopping.blockedBy = "b"
    #expect(try why("a", .fake([stopping])).message == "it was told to stop because b failed first, 50% half")
  }
}
