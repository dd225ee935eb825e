import InitTimeline
import InitWire
import InitWords
import Testing

@testable import initctl

struct WatchModelTests {
  private func apply(_ bodies: EventBody..., to model: inout WatchModel) {
    for body in bodies { model.apply(EventParams(seq: 1, time: 1, body: body)) }
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
    let failed = StateShape(.failed, error: .exit3, pass: 9)
    apply(
      .state(StateEvent(changed: [.launch], launch: failed, active: failed, composite: failed, lifecycle: .inactive)),
      to: &model)
    #expect((model.status.launch, model.status.composite) == (failed, failed))
    #expect(model.status.lifecycle == .inactive)
    apply(.snapshot(.later), .unknown(topic: "weather"), to: &model)
    #expect(model.status.initializers.map(\.name) == ["migrate"])
  }

  @Test("A new pass has its number, and is in flight until it ends, though its number is no change of a state (S1)")
  func passes() {
    var status = StatusShape.each
    status.launch = StateShape(.pending)
    status.inFlight = []
    var model = WatchModel(status, path: "/run/s")
    func counts() -> String { CountsLine(Situation(model.status, now: 3)).text }
    #expect(counts().hasPrefix("launch not started: 2 of 7 complete"))
    apply(
      .pass(PassEvent(pass: 4, phase: .launch, status: .started)),
      .pass(PassEvent(pass: 5, phase: .active, status: .started)), to: &model)
    #expect((model.status.launch.pass, model.status.active.pass) == (4, 5))
    #expect(counts().hasPrefix("launch pass 4: 2 of 7 complete") && counts().hasSuffix(", 2 s"))
    // It can begin when launch is complete.
    #expect(model.status.inFlight?.map(\.opened) == [1, nil])
    let states = StateEvent(
      changed: [.launch], launch: StateShape(.complete, pass: 4), active: StateShape(.pending, pass: 5),
      composite: StateShape(.pending), lifecycle: .active)
    model.apply(EventParams(seq: 2, time: 2, body: .pass(PassEvent(pass: 4, phase: .launch, status: .complete))))
    model.apply(EventParams(seq: 3, time: 2, body: .state(states)))
    #expect(model.status.inFlight?.map(\.opened) == [2])
    #expect(counts() == "active pass 5: 0 of 0 complete, 0 running, 0 retrying, 0 failed, 1 s")
    apply(.pass(PassEvent(pass: 5, phase: .active, status: .cancelled)), to: &model)
    #expect(counts() == "active pass 5 cancelled: 0 of 0 complete, 0 running, 0 retrying, 0 failed")
    #expect(model.endedPasses == 2)
  }

  @Test("Outputs of runs that no longer fail are forgotten, and all of another supervisor")
  func outputs() {
    var status = StatusShape.fake
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
    var status = StatusShape.fake
    status.processes = [ProcessShape(name: "p", nextStart: 1001), ProcessShape(name: "q", pid: 5, uptime: 7)]
    var model = WatchModel(status, path: "/run/s")
    let started = ProcessShape(name: "p", pid: 4, uptime: 0.5, restarts: 1, lastExit: .exit(status: 3))
    model.apply(EventParams(seq: 1, time: 1003, body: .process(started)))
    // A reload adds one, and removes it again.
    model.apply(EventParams(seq: 2, time: 1003, body: .process(ProcessShape(name: "other"))))
    #expect(model.status.processes?.map(\.name) == ["p", "q", "other"])
    model.apply(EventParams(seq: 3, time: 1003, body: .processRemoved(ProcessShape(name: "other"))))
    #expect(model.status.processes?.map(\.pid) == [4, 5])
    #expect(model.status.processes?[0].trouble(at: 1012, of: model.status.time) == .restarted)
    #expect(model.status.processes?[0].trouble(at: 1013, of: model.status.time) == nil)
  }
}

extension StatusShape {
  fileprivate func initializer(named name: String) -> InitializerShape? { initializers.first { $0.name == name } }
}
