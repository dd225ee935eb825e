import AppInitializers
import Glibc
import InitCore
import InitDeclarations
import InitModel
import InitWire
import InitWords
import TestSupport
import Testing

@testable import InitSupervisor

@Suite("Supervisor: shutdown")
struct SupervisorShutdownTests {
  @Test("Every client is notified and disconnected; open waits and new work are refused (S24)")
  func order() async throws {
    let barrier = Barrier()
    let ending = try await Setting(objects: { [Scripted("a") { try barrier.enter() }] }).play { stage in
      let client = try Client(stage)
      let other = try Client(stage)
      let silent = try Client(stage, saysHello: false)
      try barrier.arrived()
      let wait = try client.request(WaitRequest())
      try client.call(ShutdownRequest())
      #expect(try client.refusal(of: wait)?.knownCode == .shuttingDown)
      #expect(try other.refusal(of: LaunchRequest())?.knownCode == .shuttingDown)
      #expect(try other.refusal(of: ActivateRequest())?.knownCode == .shuttingDown)
      let registration = RegisterRequest(initializers: [RegisterRequest.Registration(name: "b")])
      #expect(try other.refusal(of: registration)?.knownCode == .shuttingDown)
      #expect(try other.refusal(of: WaitRequest())?.knownCode == .shuttingDown)
      let status: Status = try other.call(StatusRequest())
      #expect(status.initializers[0].status == .stopping)
      barrier.letGo()
      for client in [client, other] {
        try client.event { if case .shutdown = $0 { () } else { nil } }
        #expect(try client.ends())
      }
      #expect(try silent.ends())
      for client in [client, other, silent] { client.close() }
      return stage.ended()
    }
    #expect(ending.openHandles.isEmpty && ending.isSupervisorFreed)
  }

  @Test("Shutdown waits until commands and workers have stopped, and sends workers the reason (S13, S24)")
  func waits() async throws {
    try await Setting(configure: { configuration, directory in
      configuration.machine.concurrency = 2
      configuration.add(
        Declaration("command"), shell: "trap 'echo stopped; exit 0' TERM; echo armed; while :; do sleep 0.01; done")
      configuration.add(worker: Declaration("worker"))
    }).play { stage in
      let client = try Client(stage)
      let worker = try Client(stage)
      try client.call(SubscribeRequest(topics: [.log]))
      try worker.call(
        RegisterRequest(initializers: [RegisterRequest.Registration(name: "worker")]))
      let run = try worker.nextRun()
      while try Self.lines(client) != ["armed"] {}
      try client.call(ShutdownRequest())
      #expect(try worker.nextCancel() == CancelNotification(run: run.run, reason: .shutdown))
      try client.event { if case .log(let line) = $0, line.line == "stopped" { () } else { nil } }
      try client.call(StatusRequest())
      try worker.finish(run, WireError(.cancelled, "stopped"))
      #expect(try client.ends() && worker.ends())
    }
  }

  private static func lines(_ client: Client) throws -> [String] {
    try client.call(LogsRequest()).lines.map(\.line)
  }

  @Test(
    "If the waiting is skipped, everything is killed, no file or handle is left, and clients are still notified (S24)")
  func skipped() async throws {
    try await Setting(configure: { configuration, _ in
      configuration.machine.concurrency = 2
      configuration.machine.launchesAtStart = false
      configuration.machine.cancelGrace = .seconds(3600)
      configuration.add(
        Declaration("command", isOptional: true), shell: "trap '' TERM; echo armed; while :; do sleep 0.01; done")
      configuration.add(worker: Declaration("worker", isOptional: true))
      // Neither loss would stop the pass, so this one would start next.
      configuration.add(Declaration("next"), command: ["sleep", "30"])
    }).play { stage in
      let client = try Client(stage)
      let worker = try Client(stage)
      try worker.call(
        RegisterRequest(initializers: [RegisterRequest.Registration(name: "worker")]))
      try client.call(LaunchRequest())
      _ = try worker.nextRun()
      while try Self.lines(client) != ["armed"] {}
      #expect(stage.directory.names.contains { $0.hasPrefix("initd-") })
      stage.perform { $0.skipWaiting() }
      try client.event { if case .shutdown = $0 { () } else { nil } }
      #expect(try client.ends() && worker.ends())
    }
  }

  @Test("A kept process is terminated and waited for, and none of its child processes is left")
  func process() async throws {
    try await Setting(configure: { configuration, _ in
      configuration.workers = [DeclaredWorker("w", command: Command(["sleep", "3600"]))]
    }).play { stage in
      let client = try Client(stage)
      let status: Status = try client.call(StatusRequest())
      #expect(status.processes?.map(\.pid).contains(nil) == false)
    }
  }

  @Test(
    "If the waiting is skipped, a kept process that ignores SIGTERM is killed, and the supervisor ends when it has exited"
  )
  func skippedProcess() async throws {
    let (pid, ending) = try await Setting(configure: { configuration, _ in
      configuration.machine.cancelGrace = .seconds(3600)
      let stubborn = "trap 'echo told' TERM; echo $$; while :; do sleep 0.01; done"
      configuration.workers = [DeclaredWorker("w", command: Command(["/bin/sh", "-c", stubborn]))]
    }).play { stage in
      let client = try Client(stage)
      try client.call(SubscribeRequest(topics: [.log]))
      while try Self.lines(client).isEmpty {}
      let pid = try Self.lines(client)[0]
      try client.call(ShutdownRequest())
      try client.event { if case .log(let line) = $0, line.line == "told" { () } else { nil } }
      stage.perform { $0.skipWaiting() }
      client.close()
      return (Int32(pid), stage.ended())
    }
    #expect(ending.openHandles.isEmpty && ending.isSupervisorFreed)
    #expect(pid.map { kill($0, 0) } == -1)
  }

  @Test("An object that never returns doesn't prevent the end if the waiting is skipped")
  func skippedObject() async throws {
    let barrier = Barrier()
    try await Setting(objects: { [Scripted("a") { try barrier.enter() }] }).play { stage in
      try barrier.arrived()
      stage.perform { $0.shutDown(because: "requested by the test") }
      stage.perform { $0.skipWaiting() }
      _ = stage.ended()
      barrier.letGo()
    }
  }

  @Test("Without runs the shutdown ends at once; a second one has no effect")
  func atOnce() async throws {
    try await Setting().play { stage in
      stage.perform { $0.shutDown(because: "once") }
      stage.perform { $0.shutDown(because: "twice") }
      stage.perform { $0.skipWaiting() }
    }
  }

  @Test("A second supervisor at the same socket isn't started, and the first one continues")
  func occupied() async throws {
    try await Setting().play { stage in
      #expect(throws: StageFault.self) {
        try Stage(in: stage.directory, Setting())
      }
      try Client(stage).call(StatusRequest())
    }
  }
}
