import AppInitializers
import AppInitializersWorker
import InitClient
import InitModel
import InitSupervisor
import Logging
import Synchronization
import TestSupport
import Testing

/// One graph in each kind of host: a manager, a supervisor in the program, and a worker.
///
/// Only the line that creates the host differs.
@Suite("Three hosts")
struct ThreeHostsTests {
  private let directory = TemporaryDirectory()
  private let quiet = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }

  @Test(
    "A graph has the same events in a manager, in a supervisor of the program, and in a worker (S1–S17, S25)")
  func oneGraph() async throws {
    let inManager = Transcript()
    let manager = InitManager(graph(), eventsDelegate: inManager)
    try await story(of: manager)
    await manager.finish()

    let inSupervisor = Transcript()
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["embedded"], initializers: graph(), eventsDelegate: inSupervisor, logger: quiet)
    try await story(of: supervisor)
    await supervisor.finish()

    let behindSocket = Transcript()
    var configuration = try SupervisorConfiguration.ofThisProcess(socketPath: directory["served"])
    configuration.launchesAtStart = false
    let remote = try await EmbeddedSupervisor.start(configuration, eventsDelegate: behindSocket, logger: quiet)
    let worker = Worker("graph", serving: graph(), at: directory["served"])
    let serving = Task { try await worker.run() }
    let client = try await SupervisorClient.connect(at: directory["served"])
    for try await event in client.events(.worker) {
      if case .snapshot(let status) = event.body, !status.workers.isEmpty { break }
      if case .worker(let change) = event.body, change.connected, !change.worker.initializers.isEmpty { break }
    }
    try await story(of: remote)
    await remote.finish()
    serving.cancel()
    _ = await serving.result

    #expect(inManager.lines.count == 20)
    #expect(inSupervisor.lines == inManager.lines)
    #expect(behindSocket.lines == inManager.lines)
  }

  /// Performs the same steps for every kind of host.
  private func story(of host: some Initialization) async throws {
    await host.launch()
    try await host.launched()
    #expect(await host.output(of: "Settings", as: [String: Int].self) == ["rows": 3])
    // At its first activation the shelf hangs until it is cancelled.
    let first = await host.activate()
    for await progress in await host.progress.values where progress.running.contains(where: { $0.message == "hanging" })
    {
      break
    }
    await host.deactivate()
    #expect(try await host.outcome(ofPass: first) == .cancelled)
    let second = await host.activate()
    try await host.ready()
    #expect(try await host.outcome(ofPass: second) == .complete)
  }

  private func graph() -> [any AppInitializer] {
    [Shelf(), Catalogue(), Telemetry(), Settings()]
  }
}

private struct Unlucky: Error, CustomStringConvertible {
  var description: String { "no luck" }
}

/// Returns an output.
private final class Settings: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  func run(_ context: RunContext) async throws -> [String: Int] {
    await context.report(fraction: 0.5, message: "half")
    return ["rows": 3]
  }
}

/// Reads the output, and succeeds at its second attempt.
private final class Catalogue: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [Settings.self]
  let retry = RetryPolicy(attempts: 2, delay: .milliseconds(1))
  func run(_ context: RunContext) async throws -> [Int] {
    let rows = try context.output(of: Settings.self)["rows"] ?? 0
    guard context.attempt > 1 else { throw Unlucky() }
    return Array(1...rows)
  }
}

/// Fails, but is optional.
private final class Telemetry: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let isOptional = true
  func run() async throws { throw Unlucky() }
}

/// The first run hangs until it is cancelled; later runs read the output of launch.
private final class Shelf: ContextualInitializer {
  let priority = InitializerPriority.appActive
  let dependencies: [any AppInitializer.Type] = [Catalogue.self]
  private var activations = 0

  func run(_ context: RunContext) async throws {
    activations += 1
    #expect(try context.output(of: Catalogue.self) == [1, 2, 3])
    guard activations == 1 else { return }
    await context.report(message: "hanging")
    while !Task.isCancelled { await Task.yield() }
    #expect(context.cancellation == .deactivated)
  }
}
