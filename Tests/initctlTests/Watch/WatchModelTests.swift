import InitModel
import InitTimeline
import InitWire
import InitWords
import Testing

@testable import initctl

struct WatchModelTests {
  private func apply(_ bodies: Status.Event.Body..., to model: inout WatchModel) {
    for body in bodies { model.apply(Status.Event(seq: 1, time: 1, body: body)) }
  }

  @Test("Events change the Status as the supervisor's own does")
  func events() {
    var model = WatchModel(.fake, path: "/run/s")
    apply(.initializer(.fake("migrate", .running)), .initializer(.fake("new", .waiting)), to: &model)
    #expect(model.status.initializer(named: "migrate")?.status.known == .running)
    #expect(model.status.initializers.map(\.name) == ["migrate", "feature-toggles", "favorites", "prices", "new"])
    apply(.initializerRemoved(.fake("migrate", .running)), .initializer(.fake("new", .complete)), to: &model)
    #expect(model.status.initializer(named: "migrate") == nil)
    #expect(model.status.initializers.map(\.name) == ["feature-toggles", "favorites", "prices", "new"])
    #expect(model.status.initializer(named: "new")?.status.known == .complete)
    let failed = Status.State(.failed, error: .exit3, pass: 9)
    apply(
      .state(
        Status.Event.StateChange(
          changed: [.launch], launch: failed, active: failed, composite: failed, lifecycle: .inactive)),
      to: &model)
    #expect((model.status.launch, model.status.composite) == (failed, failed))
    #expect(model.status.lifecycle == .inactive)
    apply(.snapshot(.later), .unknown(topic: "weather"), to: &model)
    #expect(model.status.initializers.map(\.name) == ["migrate"])
  }

  @Test("A new pass has its number, and is in flight until it ends, though its number is no change of a state (S1)")
  func passes() {
    var status = Status.each
    status.launch = Status.State(.pending)
    status.inFlight = []
    var model = WatchModel(status, path: "/run/s")
    func counts() -> String { CountsLine(Situation(model.status, now: 3)).text }
    #expect(counts().hasPrefix("launch not started: 2 of 7 complete"))
    apply(
      .pass(Status.Event.PassChange(pass: 4, phase: .launch, status: .started)),
      .pass(Status.Event.PassChange(pass: 5, phase: .active, status: .started)), to: &model)
    #expect((model.status.launch.pass, model.status.active.pass) == (4, 5))
    #expect(counts().hasPrefix("launch pass 4: 2 of 7 complete") && counts().hasSuffix(", 2 s"))
    // It can begin when launch is complete.
    #expect(model.status.inFlight?.map(\.opened) == [1, nil])
    let states = Status.Event.StateChange(
      changed: [.launch], launch: Status.State(.complete, pass: 4), active: Status.State(.pending, pass: 5),
      composite: Status.State(.pending), lifecycle: .active)
    model.apply(
      Status.Event(seq: 2, time: 2, body: .pass(Status.Event.PassChange(pass: 4, phase: .launch, status: .complete))))
    model.apply(Status.Event(seq: 3, time: 2, body: .state(states)))
    #expect(model.status.inFlight?.map(\.opened) == [2])
    #expect(counts() == "active pass 5: 0 of 0 complete, 0 running, 0 retrying, 0 failed, 1 s")
    apply(.pass(Status.Event.PassChange(pass: 5, phase: .active, status: .cancelled)), to: &model)
    #expect(counts() == "active pass 5 cancelled: 0 of 0 complete, 0 running, 0 retrying, 0 failed")
    #expect(model.endedPasses == 2)
  }

  @Test("Outputs of runs that no longer fail are forgotten, and all of another supervisor")
  func outputs() {
    var status = Status.fake
    status.initializers.append(.fake("other", .failed))
    status.initializers[3].run = 2
    var model = WatchModel(status, path: "/run/s")
    #expect(model.failures.map(\.run) == [2, 1])
    model.show(["a"], ofRun: 1)
    model.show(["b"], ofRun: 2)
    apply(.initializer(.fake("other", .running)), to: &model)
    model.show(["c"], ofRun: 2)
    #expect(model.outputs == [2: ["c"]])
    model.renew(status)
    #expect(model.outputs == [2: ["c"]])
    status.instance = "new"
    model.renew(status)
    #expect(model.outputs.isEmpty)
  }

  @Test("A kept process's uptime counts from its event")
  func processes() {
    var status = Status.fake
    status.processes = [Status.Process(name: "p", nextStart: 1001), Status.Process(name: "q", pid: 5, uptime: 7)]
    var model = WatchModel(status, path: "/run/s")
    let started = Status.Process(name: "p", pid: 4, uptime: 0.5, restarts: 1, lastExit: .exit(status: 3))
    model.apply(Status.Event(seq: 1, time: 1003, body: .process(started)))
    // A reload adds one, and removes it again.
    model.apply(Status.Event(seq: 2, time: 1003, body: .process(Status.Process(name: "other"))))
    #expect(model.status.processes?.map(\.name) == ["p", "q", "other"])
    model.apply(Status.Event(seq: 3, time: 1003, body: .processRemoved(Status.Process(name: "other"))))
    #expect(model.status.processes?.map(\.pid) == [4, 5])
    #expect(model.status.processes?[0].trouble(at: 1012, of: model.status.time) == .restarted)
    #expect(model.status.processes?[0].trouble(at: 1013, of: model.status.time) == nil)
  }
}

extension Status {
  fileprivate func initializer(named name: String) -> Initializer? { initializers.first { $0.name == name } }
}
