import InitModel
import InitWire
import InitWords
import Platform
import TestSupport
import Testing

@testable import InitCore
@testable import InitServer
@testable import InitSupervisor

@Suite("Supervisor: workers")
struct SupervisorWorkersTests {
  private static func register(_ worker: Client, _ shapes: RegisterRequest.Registration...) throws {
    try worker.call(RegisterRequest(initializers: shapes))
  }

  private static func launched(_ client: Client) throws -> Status.State {
    try client.call(WaitRequest(for: .launch))
  }

  private static func manual(_ configuration: inout SupervisorConfiguration, _: TemporaryDirectory) {
    configuration.machine.launchesAtStart = false
  }

  @Test("A worker that disconnects right after its answer has completed its run (S21)")
  func vanishes() async throws {
    try await Setting(configure: Self.manual).play { stage in
      let client = try Client(stage)
      let worker = try Client(stage)
      try Self.register(worker, RegisterRequest.Registration(name: "a"))
      try client.call(LaunchRequest())
      try worker.finish(worker.nextRun())
      worker.close()
      #expect(try Self.launched(client).state == .complete)
      let status: Status = try client.call(StatusRequest())
      #expect(status.initializers.map(\.status) == [.known(.complete)])
    }
  }

  @Test("A worker has runs until it has answered them")
  func runs() async throws {
    try await Setting(configure: Self.manual).play { stage in
      let client = try Client(stage)
      let worker = try Client(stage)
      try Self.register(worker, RegisterRequest.Registration(name: "a"))
      func hasRuns() -> Bool {
        let answer = Monitor<Bool?>(nil)
        stage.perform { supervisor in
          let workers = supervisor.execution.workers
          let hasRuns = supervisor.clients.server.connections.sessions.contains { workers.hasRuns(WorkerID($0.id)) }
          answer.withLock { $0 = hasRuns }
          answer.signal()
        }
        return answer.wait { $0 }
      }
      #expect(!hasRuns())
      try client.call(LaunchRequest())
      let run = try worker.nextRun()
      #expect(hasRuns())
      try worker.finish(run)
      #expect(try Self.launched(client).state == .complete)
      #expect(!hasRuns())
    }
  }

  @Test("A worker that disconnects during a run fails it; launch can continue when the worker is back (S9, S21)")
  func lost() async throws {
    try await Setting(configure: Self.manual).play { stage in
      let client = try Client(stage)
      var worker = try Client(stage)
      try Self.register(worker, RegisterRequest.Registration(name: "a"))
      try client.call(LaunchRequest())
      _ = try worker.nextRun()
      worker.close()
      let state = try Self.launched(client)
      #expect(state.error?.reason == .initializerFailed(cause: .workerLost))
      worker = try Client(stage)
      try Self.register(worker, RegisterRequest.Registration(name: "a"))
      try client.call(LaunchRequest())
      try worker.finish(worker.nextRun())
      #expect(try Self.launched(client).state == .complete)
    }
  }

  @Test(
    "A worker that sends an invalid frame during a run is disconnected, and the run has failed"
  )
  func faulty() async throws {
    try await Setting(configure: Self.manual).play { stage in
      let client = try Client(stage)
      let worker = try Client(stage)
      try Self.register(worker, RegisterRequest.Registration(name: "a"))
      try client.call(LaunchRequest())
      let run = try worker.nextRun()
      // Everything after the fault is dropped, even a valid answer.
      let answer = try Message.answer(id: .string("run-\(run.run)"), result: EmptyResult())
      try worker.send(Array("GET / HTTP/1.1".utf8) + answer)
      #expect(try worker.refusal(of: nil)?.knownCode == .parseError)
      #expect(try worker.ends())
      #expect(try Self.launched(client).error?.reason == .initializerFailed(cause: .workerLost))
    }
  }

  @Test("A worker that doesn't stop a run within the grace period is disconnected, and the run has stopped (S13)")
  func grace() async throws {
    let setting = Setting(configure: { configuration, _ in configuration.machine.cancelGrace = .milliseconds(50) })
    try await setting.play { stage in
      let client = try Client(stage)
      let worker = try Client(stage)
      try Self.register(worker, RegisterRequest.Registration(name: "a", priority: .appActive))
      try client.call(ActivateRequest())
      let run = try worker.nextRun()
      let cancelled = try client.call(DeactivateRequest(wait: true)).cancelled
      #expect(cancelled == ["a"])
      #expect(try worker.nextCancel().run == run.run)
      #expect(try worker.ends())
    }
  }

  @Test(
    "Only the first answer of the requested worker counts; others are ignored (protocol §6)")
  func strangeAnswers() async throws {
    try await Setting(configure: Self.manual).play { stage in
      let client = try Client(stage)
      let worker = try Client(stage)
      try Self.register(worker, RegisterRequest.Registration(name: "a"), RegisterRequest.Registration(name: "b"))
      try client.call(LaunchRequest())
      let run = try worker.nextRun()
      try client.finish(run, WireError(code: 1, message: "not mine"))
      let other = RunRequest(run: 99, initializer: "a", pass: 1, phase: .launch, attempt: 1)
      try worker.finish(other)
      #expect(try client.call(StatusRequest()).initializers[0].status == .running)
      try worker.finish(run)
      try worker.finish(run, WireError(code: 1, message: "twice"))
      try worker.finish(worker.nextRun())
      #expect(try Self.launched(client).state == .complete)
    }
  }

  @Test("A worker's error is the cause of the failure, and its progress is published (S2, S17)")
  func answers() async throws {
    try await Setting(configure: Self.manual).play { stage in
      let client = try Client(stage)
      try client.call(SubscribeRequest(topics: [.initializer]))
      let worker = try Client(stage)
      try Self.register(worker, RegisterRequest.Registration(name: "a"))
      try client.call(LaunchRequest())
      let run = try worker.nextRun()
      try worker.send(Message.notification(ProgressNotification(run: run.run, fraction: 0.5)))
      let progress = try client.event { if case .initializer(let shape) = $0 { shape.progress } else { nil } }
      #expect(progress == Initializer.Progress(fraction: 0.5))
      try worker.finish(run, WireError(code: 1, message: "HTTP 503"))
      #expect(try Self.launched(client).error?.reason == .initializerFailed(cause: .error(message: "HTTP 503")))
    }
  }

  @Test("If all names of a worker were unregistered, its disconnection changes nothing")
  func unregistered() async throws {
    try await Setting(configure: Self.manual).play { stage in
      let client = try Client(stage)
      try client.call(SubscribeRequest(topics: [.worker]))
      let worker = try Client(stage, name: "shelf")
      try Self.register(worker, RegisterRequest.Registration(name: "a"))
      try worker.call(UnregisterRequest(names: ["a"]))
      worker.close()
      #expect(stage.eventually { $0.shared.read { $0.provided.isEmpty } })
      let other = try Client(stage)
      try Self.register(other, RegisterRequest.Registration(name: "b"))
      let events = try (0..<3).map { _ in
        try client.event { if case .worker(let event) = $0 { event } else { nil } }
      }
      #expect(events.map(\.connected) == [true, true, true])
      #expect(events.map(\.worker.initializers) == [["a"], [], ["b"]])
      #expect(try client.call(StatusRequest()).initializers.map(\.name) == ["b"])
    }
  }
}
