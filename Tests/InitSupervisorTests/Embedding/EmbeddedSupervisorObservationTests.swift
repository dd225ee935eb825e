import AppInitializers
import AppInitializersObservation
import InitSupervisor
import Logging
import Synchronization
import TestSupport
import Testing

/// A type whose name the protocol doesn't allow.
private final class Größe: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

private final class Toggles: ContextualInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  func run(_ context: RunContext) async throws -> Set<String> { ["favorites"] }
}

private struct Refused: Error {}

/// The events that a delegate has received, without durations.
private final class Told: AppInitializerEventsDelegate {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }

  private func add(_ line: String) { lines.withLock { $0.append(line) } }
  func initializerDidStart(_ run: InitializerRun) { add("start \(run.initializer)") }
  func initializerDidComplete(_ run: InitializerRun, after duration: Duration) { add("complete \(run.initializer)") }
  func passDidStart(_ pass: InitializationPass) { add("pass \(pass.number) starts") }
  func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome) {
    add("pass \(pass.number) \(outcome)")
  }
}

@Suite("EmbeddedSupervisor, observed")
struct EmbeddedSupervisorObservationTests {
  private let directory = TemporaryDirectory()
  private let quiet = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }

  @Test("Its delegate receives all events from the first one on, including those of commands")
  func delegate() async throws {
    let told = Told()
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["socket"], initializers: [Toggles()],
      others: [.command("menu", ["true"], priority: .appActive, dependencies: ["Toggles"])], eventsDelegate: told,
      logger: quiet)
    try await supervisor.launched()
    let pass = await supervisor.activate()
    try await supervisor.ready()
    #expect(try await supervisor.outcome(ofPass: pass) == .complete)
    #expect(
      told.all == [
        "pass 1 starts", "start Toggles", "complete Toggles", "pass 1 complete", "pass 2 starts", "start menu",
        "complete menu", "pass 2 complete",
      ])
    #expect(await supervisor.progress.done == 2)
    #expect(await supervisor.output(of: Toggles.self) == ["favorites"])
    #expect(await supervisor.output(of: "Toggles", as: Set<String>.self) == ["favorites"])
    #expect(await supervisor.output(of: "menu", as: String.self) == nil)
    await supervisor.shutDown()
  }

  @Test("It follows a lifecycle source, and waits end with a failure or with the supervisor")
  func lifecycle() async throws {
    let (events, source) = AsyncStream.makeStream(of: LifecycleEvent.self)
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["socket"],
      initializers: [Scripted("menu", .appActive), Scripted("ads", .appActive, after: ["menu"]) { throw Refused() }],
      lifecycle: events, logger: quiet)
    try await supervisor.launched()
    source.yield(.activate)
    let error = await #expect(throws: AppInitializationError.self) { try await supervisor.ready() }
    #expect(error?.initializer == "ads")
    await #expect(throws: UnknownPass.self) { try await supervisor.outcome(ofPass: 99) }
    await supervisor.shutDown()
  }

  @Test("A wait that begins at the moment of a failure throws it")
  func failureWhileWaitingBegins() async throws {
    for _ in 0..<50 {
      let supervisor = try await EmbeddedSupervisor.start(
        at: directory["socket"], initializers: [Scripted("ads", .appActive) { throw Refused() }], logger: quiet)
      async let activated = supervisor.activate()
      await #expect(throws: AppInitializationError.self) { try await supervisor.ready() }
      _ = await activated
      await supervisor.shutDown()
    }
  }

  @Test("A model for Observation works with a supervisor as with a manager")
  @MainActor func model() async throws {
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["socket"], others: [.command("migrate", ["true"])], logger: quiet)
    let model = InitializationModel(supervisor)
    try await supervisor.launched()
    while model.launchState != .complete { await Task.yield() }
    #expect(model.state == .pending)
    await supervisor.shutDown()
  }

  @Test("An invalid name is an error with a remedy, and nothing is run")
  func names() async throws {
    let command = await #expect(throws: UnusableName.self) {
      _ = try await EmbeddedSupervisor.start(
        at: directory["socket"], initializers: [Scripted("never") { Issue.record("it ran") }],
        others: [.command("bad name!", ["true"])], logger: quiet)
    }
    #expect(command.map { "\($0)" }?.contains("rename the initializer") == true)
    let dependency = await #expect(throws: UnusableName.self) {
      _ = try await EmbeddedSupervisor.start(
        at: directory["socket"], others: [.worker("favorites", dependencies: ["no good"])], logger: quiet)
    }
    #expect(dependency?.dependent == "favorites")
    #expect(dependency.map { "\($0)" }?.contains("\"no good\", a dependency of favorites,") == true)
    let object = await #expect(throws: UnusableName.self) {
      _ = try await EmbeddedSupervisor.start(at: directory["socket"], initializers: [Größe()], logger: quiet)
    }
    #expect(object.map { "\($0)" }?.contains("give the initializer a `name` of its own") == true)
    #expect(directory.names.isEmpty)
    try await InitManager([Größe()]).launched()
  }

  @Test("The names of an object's dependencies aren't checked: they may be those of types")
  func namesOfTypes() async throws {
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["socket"], initializers: [Scripted("a", after: ["Größe"])], logger: quiet)
    await supervisor.shutDown()
  }

  @Test("An error of the start names parameters, not options of a command line")
  func words() async throws {
    let error = await #expect(throws: SupervisorStartError.self) {
      _ = try await EmbeddedSupervisor.start(at: directory["absent/socket"], logger: quiet)
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("choose another socketPath"))
    #expect(!text.contains("--"))
  }
}
