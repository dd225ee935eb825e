import AppInitializers
import InitCore
import InitModel
import InitSupervisor
import InitWire
import InitWords
import TestSupport
import Testing

/// One graph of all three kinds, each depending on the others.
///
///     launch   settings (object) ← migrate (command) ← catalogue (worker) ← index (object; also on migrate)
///     active   session (object; on index) ← prices (worker, not in the manifest) ← refresh (command; also on catalogue)
@Suite("Supervisor: in-process, commands and workers in one graph")
struct SupervisorMixedGraphTests {
  private let session = Barrier()

  private func objects() -> @Sendable () -> [any AppInitializer] {
    { [session] in
      [
        Scripted("index", after: ["catalogue", "migrate"]),
        Scripted("session", .appActive, after: ["index"]) { try session.enter() },
        Scripted("settings"),
      ]
    }
  }

  private static func configure(_ configuration: inout SupervisorConfiguration, _ directory: TemporaryDirectory) {
    let refresh = Fifo("refresh", in: directory)
    configuration.add(Declaration("migrate", dependencies: ["settings"]), shell: "echo migrated")
    configuration.add(worker: Declaration("catalogue", dependencies: ["migrate"]))
    configuration.add(
      Declaration("refresh", priority: .appActive, dependencies: ["prices", "catalogue"]), command: refresh.reader)
  }

  /// Runs launch until it is complete, with one worker that provides all workers' names.
  private func launch(_ stage: Stage) throws -> (worker: Client, user: Client) {
    let worker = try Client(stage, name: "shelf")
    let user = try Client(stage)
    try user.call(SubscribeRequest(topics: [.initializer]))
    let registrations = [
      RegisterRequest.Registration(name: "catalogue"),
      RegisterRequest.Registration(name: "prices", priority: .appActive, dependencies: ["session"]),
    ]
    try worker.call(RegisterRequest(initializers: registrations))
    let run = try worker.nextRun()
    #expect((run.initializer, run.pass, run.phase) == ("catalogue", 1, .known(.launch)))
    #expect(try status(user).initializers.first { $0.name == "index" }?.status == .known(.waiting))
    try worker.finish(run)
    #expect(try user.call(WaitRequest(for: .launch)) == Status.State(.complete, pass: 1))
    return (worker, user)
  }

  private func status(_ client: Client) throws -> Status { try client.call(StatusRequest()) }

  private func activate(_ client: Client) throws -> ActivateRequest.Result { try client.call(ActivateRequest()) }

  private func deactivate(_ client: Client) throws -> [String] {
    try client.call(DeactivateRequest(wait: true)).cancelled
  }

  @Test("Launch and activation run everything in the order of its dependencies, across processes (S3, S4, S6)")
  func order() async throws {
    try await Setting(objects: objects(), configure: Self.configure).play { stage in
      let (worker, user) = try launch(stage)
      #expect(try activate(user).active == Status.State(.pending, pass: 2))
      try session.arrived()
      session.letGo()
      let run = try worker.nextRun()
      #expect((run.initializer, run.pass, run.phase) == ("prices", 2, .known(.active)))
      try worker.finish(run)
      try Fifo(madeAs: "refresh", in: stage.directory).letGo()
      #expect(try user.call(WaitRequest()).state == .complete)

      let passes = try user.call(HistoryRequest(limit: 9)).passes
      #expect(passes.map(\.outcome) == [.known(.complete), .known(.complete)])
      #expect(
        passes.map { $0.runs.map(\.initializer) } == [
          ["settings", "migrate", "catalogue", "index"], ["session", "prices", "refresh"],
        ])
      #expect(passes[0].runs[3].waitedFor == ["catalogue", "migrate"])
      let status = try status(user)
      #expect(Set(status.initializers.map(\.status)) == [.known(.complete)])
      #expect(status.workers.map(\.initializers) == [["catalogue", "prices"]])
      let lines = try user.call(LogsRequest(initializer: "migrate")).lines
      #expect(lines.map(\.line) == ["migrated"])
    }
  }

  @Test(
    "Deactivation cancels a running command, and the next activation runs everything again (S11, S12)")
  func deactivatedInCommand() async throws {
    try await Setting(objects: objects(), configure: Self.configure).play { stage in
      let (worker, user) = try launch(stage)
      session.letGo(2)
      _ = try activate(user)
      try worker.finish(worker.nextRun())
      try user.initializer("refresh", is: .running)
      #expect(try deactivate(user) == ["refresh"])
      let status = try status(user)
      #expect((status.active, status.lifecycle) == (Status.State(.pending, pass: 2), .known(.inactive)))
      #expect(status.initializers.first { $0.name == "refresh" }?.status == .known(.cancelled))
      #expect(status.launch.state == .complete)

      #expect(try activate(user).pass == 3)
      let run = try worker.nextRun()
      #expect((run.initializer, run.pass) == ("prices", 3))
      try worker.finish(run)
      try Fifo(madeAs: "refresh", in: stage.directory).letGo()
      #expect(
        try user.call(WaitRequest(for: .pass(3))) == Status.State(.complete, pass: 3))
      let passes = try user.call(HistoryRequest(limit: 2)).passes
      #expect(passes.map(\.outcome) == [.known(.cancelled), .known(.complete)])
      #expect(passes[0].runs.map(\.outcome) == [.known(.complete), .known(.complete), .known(.cancelled)])
    }
  }

  @Test("Deactivation sends a worker the reason to stop, and waits for its answer (S11, S13, protocol §6)")
  func deactivatedInWorker() async throws {
    try await Setting(objects: objects(), configure: Self.configure).play { stage in
      let (worker, user) = try launch(stage)
      session.letGo()
      _ = try activate(user)
      let run = try worker.nextRun()
      let deactivation = try user.request(DeactivateRequest(wait: true))
      #expect(try worker.nextCancel() == CancelNotification(run: run.run, reason: .deactivated))
      try user.initializer("prices", is: .stopping)
      try worker.finish(run, WireError(.cancelled, "stopped"))
      #expect(try user.result(of: deactivation, as: DeactivateRequest.Result.self).cancelled == ["prices"])
      #expect(try status(user).active == Status.State(.pending, pass: 2))
    }
  }

  @Test("An object that doesn't stop keeps its place: the next pass begins when it has returned (S13, S14)")
  func deactivatedInObject() async throws {
    try await Setting(objects: objects(), configure: Self.configure).play { stage in
      let (worker, user) = try launch(stage)
      _ = try activate(user)
      try session.arrived()
      #expect(try user.call(DeactivateRequest()).cancelled == ["session"])
      #expect(try activate(user).pass == 3)
      #expect(try status(user).initializers.first { $0.name == "session" }?.status == .known(.stopping))
      session.letGo()
      #expect(try user.call(WaitRequest(for: .pass(2))).state == .cancelled)
      try session.arrived()
      session.letGo()
      try worker.finish(worker.nextRun())
      try Fifo(madeAs: "refresh", in: stage.directory).letGo()
      #expect(try user.call(WaitRequest(for: .pass(3))).state == .complete)
    }
  }

  @Test("Objects that block their threads don't delay each other, commands, or clients")
  func blocking() async throws {
    let blocked = 8
    let barrier = Barrier()
    let setting = Setting(
      objects: { (0..<blocked).map { Scripted("object-\($0)") { try barrier.enter() } } },
      configure: { configuration, _ in
        configuration.machine.concurrency = blocked + 1
        configuration.add(Declaration("command"), command: ["true"])
      })
    try await setting.play { stage in
      // More than there are cores: on the common pool they would wait for each other.
      try barrier.arrived(blocked)
      let client = try Client(stage)
      #expect(
        try client.call(WaitRequest(for: .initializer("command"))).state == .complete)
      barrier.letGo(blocked)
      #expect(try client.call(WaitRequest(for: .launch)).state == .complete)
    }
  }
}
