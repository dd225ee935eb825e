import AppInitializers
import Glibc
import InitModel
import InitSupervisor
import InitWire
import InitWords
import Logging
import Platform
import TestSupport
import Testing

@Suite("EmbeddedSupervisor")
struct EmbeddedSupervisorTests {
  private let directory = TemporaryDirectory()
  private let quiet = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }

  private var configuration: SupervisorConfiguration {
    get throws {
      var configuration = try SupervisorConfiguration.ofThisProcess(socketPath: directory["socket"])
      configuration.runtimeDirectory = directory.path
      return configuration
    }
  }

  private func settled(_ state: ObservableState) async -> InitializationState? {
    for await value in state.values where value != .pending { return value }
    return nil
  }

  @Test("Objects, commands and workers of a program are one graph, which clients reach over the socket")
  func graph() async throws {
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["socket"], initializers: [Scripted("catalogue", after: ["migrate"])],
      others: [
        .command("migrate", ["sh", "-c", "echo migrated"]),
        .worker("favorites", priority: .appActive, dependencies: ["catalogue"]),
      ], logger: quiet)
    #expect(supervisor.socketPath == directory["socket"])
    #expect(await settled(supervisor.launchState) == .complete)
    await supervisor.activate()
    #expect(supervisor.activeState.current == .pending)
    let path = directory["socket"]
    let names = try await Blocking.run {
      let worker = try Client(path: path)
      let registration = RegisterRequest.Registration(name: "favorites")
      try worker.call(RegisterRequest(initializers: [registration]))
      try worker.finish(worker.nextRun())
      return try worker.call(StatusRequest()).initializers.map(\.name)
    }
    #expect(names == ["catalogue", "migrate", "favorites"])
    #expect(await settled(supervisor.state) == .complete)
    await supervisor.deactivate()
    #expect(supervisor.state.current == .complete)
    await supervisor.shutDown()
    #expect(directory.names.isEmpty)
  }

  @Test("A run() that blocks doesn't delay other initializers, commands, clients, or the program")
  func blocking() async throws {
    let barrier = Barrier()
    let blocked = 8
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["socket"], initializers: (0..<blocked).map { Scripted("object-\($0)") { try barrier.enter() } },
      others: [.command("command", ["true"])], concurrency: blocked + 1, logger: quiet)
    let path = directory["socket"]
    let state = try await Blocking.run {
      // Even if the test fails, no run may be left waiting.
      defer { barrier.letGo(blocked) }
      // More than there are cores: on the common pool they would wait for each other.
      try barrier.arrived(blocked)
      let client = try Client(path: path)
      return try client.call(WaitRequest(for: .initializer("command"))).state
    }
    #expect(state == .complete)
    #expect(await settled(supervisor.launchState) == .complete)
    await supervisor.shutDown()
  }

  @Test("A client can shut it down; its states end with it")
  func endedByClient() async throws {
    let supervisor = try await EmbeddedSupervisor.start(try configuration, logger: quiet)
    let path = directory["socket"]
    _ = try await Blocking.run { try Client(path: path).call(ShutdownRequest()) }
    await supervisor.ended()
    #expect(directory.names.isEmpty)
    // Later calls have no effect.
    await supervisor.activate()
    await supervisor.launch()
    await supervisor.shutDown()
    #expect(supervisor.launchState.current == .complete, "there was nothing to be done")
  }

  @Test("If another supervisor uses the socket, starting fails with that error, and nothing is run")
  func occupied() async throws {
    let supervisor = try await EmbeddedSupervisor.start(try configuration, logger: quiet)
    let error = await #expect(throws: SupervisorStartError.self) {
      _ = try await EmbeddedSupervisor.start(
        try configuration, initializers: [Scripted("never") { Issue.record("it ran") }], logger: quiet)
    }
    #expect(error.map { "\($0)" }?.contains("a supervisor (pid \(getpid())) is listening there") == true)
    await supervisor.shutDown()
  }

  @Test("Shutting down waits for runs, even in a cancelled task (S24)")
  func shutDownInCancelledTask() async throws {
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["socket"], others: [.command("long", ["sleep", "600"])], logger: quiet)
    let path = directory["socket"]
    try await Blocking.run {
      let client = try Client(path: path)
      try client.call(SubscribeRequest(topics: [.initializer]))
      while try client.call(StatusRequest()).initializers.first?.status != .known(.running) {}
    }
    let ending = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await supervisor.shutDown()
    }
    await ending.value
    #expect(directory.names.isEmpty)
  }
}

/// Work that blocks, off Swift's own pool.
enum Blocking {
  private static let threads = ThreadExecutor(name: "blocking")

  static func run<Outcome: Sendable>(_ body: @escaping @Sendable () throws -> Outcome) async throws -> Outcome {
    try await Task(executorPreference: threads) { try body() }.value
  }
}
