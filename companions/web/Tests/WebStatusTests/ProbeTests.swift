import Passes
import Testing

@testable import WebStatus

@Suite("The answers of probes")
struct ProbeTests {
  static let pending = States(launch: .pending, active: .pending, composite: .pending, isActive: false)
  static let launched = States(launch: .complete, active: .pending, composite: .pending, isActive: false)
  static let ready = States(launch: .complete, active: .complete, composite: .complete, isActive: true)

  /// Returns the state of a supervisor that answers, with these states.
  static func followed(_ states: States, _ initializers: Initializer...) -> Followed {
    var followed = Followed()
    followed.hear()
    followed.replace(with: Picture(instance: "a", pid: 4711, states: states, initializers: initializers))
    return followed
  }

  @Test("Without a supervisor, no probe passes, and says why")
  func absent() {
    var followed = Followed()
    followed.lose("nothing listens at /run/initd.sock")
    for probe in Probe.allCases {
      let answer = followed.answer(probe)
      #expect(!answer.passes)
      #expect(answer.reason == .unreachable)
      #expect(answer.message == "nothing listens at /run/initd.sock")
    }
  }

  @Test("A supervisor that is ready and falls silent isn't ready, until it answers again")
  func silent() {
    var followed = Self.followed(Self.ready)
    #expect(followed.answer(.readyz).passes)
    followed.miss("no answer", since: 100)
    for probe in Probe.allCases { #expect(followed.answer(probe).reason == .silent) }
    #expect(followed.summary.silentSince == 100)
    followed.hear()
    #expect(followed.summary.silentSince == nil)
    for probe in Probe.allCases { #expect(followed.answer(probe).passes) }
  }

  @Test("After a lost connection, the old state isn't used")
  func reconnected() {
    var followed = Self.followed(Self.ready)
    followed.lose("gone")
    followed.hear()
    #expect(followed.answer(.livez).passes)
    #expect(followed.answer(.startupz).reason == .connecting)
    #expect(followed.answer(.readyz).reason == .connecting)
  }

  @Test("Each state has its reason")
  func reasons() {
    let failed = PhaseState.failed("migrate failed: exit status 3")
    let cases: [(States, ProbeAnswer.Reason?, ProbeAnswer.Reason?)] = [
      (Self.pending, .launchPending, .launchPending),
      (States(launch: failed, active: .pending, composite: failed, isActive: true), .launchFailed, .launchFailed),
      (Self.launched, nil, .inactive),
      (States(launch: .complete, active: .pending, composite: .pending, isActive: true), nil, .activePending),
      (States(launch: .complete, active: failed, composite: failed, isActive: true), nil, .activeFailed),
      (States(launch: .complete, active: .complete, composite: .complete, isActive: false), nil, .inactive),
      (Self.ready, nil, nil),
    ]
    for (states, startup, ready) in cases {
      var followed = Self.followed(states, Initializer(name: "prices", phase: .active, status: "idle"))
      #expect(followed.answer(.livez).passes)
      #expect(followed.answer(.startupz).reason == startup)
      #expect(followed.answer(.readyz).reason == ready)
    }
  }

  @Test("Without an initializer of the active phase, launch makes an inactive app ready")
  func noActivePhase() {
    var followed = Self.followed(Self.launched, Initializer(name: "migrate", status: "complete"))
    #expect(followed.answer(.readyz).passes)
    followed = Self.followed(Self.pending)
    #expect(followed.answer(.readyz).reason == .launchPending)
  }

  @Test("A pending launch says what it waits for, and leaves out what only waits for others")
  func waits() {
    var followed = Self.followed(
      Self.pending,
      Initializer(name: "done", status: "complete"),
      Initializer(name: "migrate", dependencies: ["done"], status: "running", message: "half of the rows"),
      Initializer(name: "serve", dependencies: ["migrate"], status: "waiting"),
      Initializer(name: "flags", status: "waiting", error: "exit status 22"),
      Initializer(name: "shelf", isAvailable: false, status: "waiting"))
    let answer = followed.answer(.readyz)
    #expect(answer.message == "launch waits for migrate (running: half of the rows) and 2 other initializers")
    #expect(
      answer.waitsFor == [
        .init(initializer: "migrate", status: "running", message: "half of the rows"),
        .init(initializer: "flags", status: "waiting", message: "retried after an attempt failed: exit status 22"),
        .init(initializer: "shelf", status: "waiting", message: "no worker provides it"),
      ])
    #expect(answer.moreWaitsFor == nil)
  }

  @Test("What only waits for its turn isn't what launch waits for, unless nothing runs")
  func turns() {
    let waiting = [Initializer(name: "b", status: "waiting"), Initializer(name: "c", status: "waiting")]
    var busy = Self.followed(Self.pending, Initializer(name: "a", status: "running"), waiting[0], waiting[1])
    #expect(busy.answer(.readyz).message == "launch waits for a (running)")
    var idle = Self.followed(Self.pending, waiting[0], waiting[1])
    #expect(idle.answer(.readyz).waitsFor?.map(\.initializer) == ["b", "c"])
  }

  @Test("An event changes the answer")
  func events() {
    var followed = Self.followed(Self.pending, Initializer(name: "a", status: "running"))
    #expect(followed.answer(.startupz).waitsFor?.map(\.initializer) == ["a"])
    followed.set(Initializer(name: "a", status: "complete"))
    followed.set(Initializer(name: "b", status: "running"))
    #expect(followed.answer(.startupz).waitsFor?.map(\.initializer) == ["b"])
    followed.removeInitializer("a")
    followed.set(Initializer(name: "b", status: "stopping"))
    #expect(followed.answer(.startupz).waitsFor?.map(\.status) == ["stopping"])
    followed.set(Self.ready)
    #expect(followed.answer(.readyz).passes)
  }

  @Test("While no events tell of initializers, those of a status count, and only of the same supervisor")
  func asked() {
    func status(_ initializer: Initializer, of instance: String = "a") -> Picture {
      Picture(instance: instance, pid: 1, states: Self.ready, initializers: [initializer], subscribers: 3)
    }
    let running = Initializer(name: "a", status: "running")
    var followed = Self.followed(Self.pending)
    followed.update(with: status(running), asked: followed.ask())
    #expect(!followed.declares("a"))
    #expect(!followed.wantsInitializers)
    #expect(followed.metrics(residentBytes: nil).contains("\ninitd_subscribers 3\n"))
    followed.endLive()
    followed.update(with: status(running, of: "b"), asked: followed.ask())
    #expect(!followed.declares("a"))
    followed.update(with: status(running), asked: followed.ask())
    // The states are those of the events.
    #expect(followed.answer(.startupz).waitsFor?.map(\.initializer) == ["a"])
    #expect(followed.wantsInitializers)
    followed.update(with: status(Initializer(name: "b", status: "complete")), asked: followed.ask())
    #expect(followed.declares("b") && !followed.declares("a"))
    #expect(followed.answer(.startupz).waitsFor == nil)
  }

  @Test("A status is older than a snapshot that comes before it; what changes in the meantime is asked for again")
  func overtaken() {
    let status = Picture(
      instance: "a", pid: 1, states: Self.pending, initializers: [Initializer(name: "old", status: "complete")])
    var followed = Self.followed(Self.pending)
    var asked = followed.ask()
    followed.endLive()
    followed.update(with: status, asked: asked)
    #expect(!followed.declares("old"))
    asked = followed.ask()
    followed.replace(with: Picture(instance: "a", pid: 1, states: Self.pending), isLive: false)
    followed.update(with: status, asked: asked)
    #expect(!followed.declares("old"))
    asked = followed.ask()
    followed.notePass()
    followed.update(with: status, asked: asked)
    #expect(followed.declares("old"))
    #expect(followed.wantsInitializers)
  }

  @Test("Initializers are asked for after each event that may be about them")
  func outdated() {
    let worker = ConnectedWorker(name: "w", pid: 7, initializers: ["a"])
    let events: [(inout Followed) -> Void] = [
      { $0.notePass() }, { $0.set(Self.ready) }, { $0.set(worker) }, { $0.remove(worker) },
    ]
    var followed = Self.followed(Self.pending)
    followed.endLive()
    for event in events {
      #expect(!followed.wantsInitializers)
      event(&followed)
      #expect(followed.wantsInitializers)
      followed.update(with: Picture(instance: "a", pid: 1, states: Self.pending), asked: followed.ask())
    }
  }

  @Test("An answer is bounded, however many initializers and however long their messages are")
  func bounded() {
    var followed = Self.followed(Self.pending)
    for number in 0..<100 {
      followed.set(Initializer(name: "i\(number)", status: "running", message: String(repeating: "é", count: 10_000)))
    }
    let answer = followed.answer(.startupz)
    #expect(answer.waitsFor?.count == 16)
    #expect(answer.moreWaitsFor == 84)
    #expect(answer.waitsFor?.allSatisfy { $0.message == String(repeating: "é", count: 256) + "…" } == true)
    #expect(answer.message.utf8.count < 1_024)
  }
}
