import AppInitializers
import AppInitializersServiceLifecycle
import Glibc
import InitSupervisor
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

/// The log of a test, in order.
private final class Journal: Sendable {
  private let content = Mutex<[String]>([])
  var entries: [String] { content.withLock { $0 } }
  func note(_ entry: String) { content.withLock { $0.append(entry) } }
}

private final class Session: AppInitializer {
  let priority = InitializerPriority.appActive
  private let body: @Sendable () async throws -> Void
  init(body: @escaping @Sendable () async throws -> Void) { self.body = body }
  func run() async throws { try await body() }
}

private final class Migration: AppInitializer {
  let priority = InitializerPriority.appLaunch
  private let body: @Sendable () async throws -> Void
  init(body: @escaping @Sendable () async throws -> Void) { self.body = body }
  func run() async throws { try await body() }
}

private final class Behind: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [Migration.self]
  private let body: @Sendable () async throws -> Void
  init(body: @escaping @Sendable () async throws -> Void) { self.body = body }
  func run() async throws { try await body() }
}

private struct Broken: Error {}

/// A service that ends without a signal.
private struct Inner: Service {
  let body: @Sendable () async throws -> Void
  func run() async throws { try await body() }
}

private func group(_ services: [any Service]) -> ServiceGroup {
  ServiceGroup(
    configuration: .init(
      services: services.map {
        .init(
          service: $0, successTerminationBehavior: .gracefullyShutdownGroup, failureTerminationBehavior: .cancelGroup)
      }, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
}

@Suite("InitializationService")
struct InitializationServiceTests {
  @Test("The wrapped service starts when the app is ready, and never after the group has shut down")
  func order() async throws {
    let journal = Journal()
    let manager = InitManager([Session { journal.note("session") }])
    try await group([
      InitializationService(manager), AfterInitialization(manager) { Inner { journal.note("server") } },
    ]).run()
    #expect(journal.entries == ["session", "server"])
    await manager.activate()
    await manager.finish()
    #expect(journal.entries == ["session", "server"])
  }

  @Test(
    "Graceful shutdown cancels a running launch: its runs have stopped, and no further one starts (S24)")
  func shutdownInLaunch() async throws {
    let journal = Journal()
    let (started, telling) = AsyncStream.makeStream(of: Void.self)
    let manager = InitManager([
      Migration {
        telling.yield()
        while !Task.isCancelled { await Task.yield() }
        journal.note("stopped")
      }, Behind { journal.note("behind") },
    ])
    let group = group([InitializationService(manager)])
    let running = Task { try await group.run() }
    for await _ in started { break }
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(journal.entries == ["stopped"])
    await manager.launch()
    await manager.finish()
    #expect(journal.entries == ["stopped"])
  }

  @Test("If initialization fails, the group ends with its error, and the wrapped service is never created")
  func failure() async {
    let manager = InitManager([Session { throw Broken() }])
    let expected = AppInitializationError.initializerFailed(initializer: "Session", underlyingError: Broken())
    await #expect(throws: expected) {
      try await group([
        InitializationService(manager),
        AfterInitialization(manager) {
          Issue.record("made")
          return Inner {}
        },
      ]).run()
    }
  }

  @Test("A failed re-activation doesn't end the service: the next activation tries again")
  func reactivation() async throws {
    let attempts = Journal()
    let manager = InitManager([
      Session {
        attempts.note("session")
        if attempts.entries.count == 2 { throw Broken() }
      }
    ])
    let group = group([InitializationService(manager)])
    let running = Task { try await group.run() }
    try await manager.ready()
    await manager.deactivate()
    let failing = await manager.activate()
    let error = AppInitializationError.initializerFailed(initializer: "Session", underlyingError: Broken())
    #expect(try await manager.outcome(ofPass: failing) == .failed(error: error))
    await manager.activate()
    try await manager.ready()
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(attempts.entries.count == 3)
  }

  @Test("Which failures end the service is an option", arguments: InitializationService.EndingFailures.allCases)
  func option(_ ending: InitializationService.EndingFailures) async throws {
    let attempts = Journal()
    let manager = InitManager([
      Session {
        attempts.note("session")
        if [1, 3].contains(attempts.entries.count) { throw Broken() }
      }
    ])
    let service = Task { try await group([InitializationService(manager, endingOn: ending)]).run() }
    let expected = AppInitializationError.initializerFailed(initializer: "Session", underlyingError: Broken())
    guard ending == .none else {
      await #expect(throws: expected) { try await service.value }
      #expect(attempts.entries.count == 1)
      return
    }
    await #expect(throws: expected) { try await manager.ready() }
    await manager.activate()
    try await manager.ready()
    service.cancel()
    _ = try? await service.value
    #expect(attempts.entries.count == 2)
  }

  @Test("With .any a failed re-activation ends it too")
  func anyFailure() async throws {
    let attempts = Journal()
    let manager = InitManager([
      Session {
        attempts.note("session")
        if attempts.entries.count == 2 { throw Broken() }
      }
    ])
    let service = Task { try await group([InitializationService(manager, endingOn: .any)]).run() }
    try await manager.ready()
    await manager.deactivate()
    await manager.activate()
    await #expect(throws: AppInitializationError.self) { try await service.value }
  }

  @Test("On graceful shutdown runs are cancelled, and have stopped when the group ends (S11, S13)")
  func shutdown() async throws {
    let journal = Journal()
    let (started, telling) = AsyncStream.makeStream(of: Void.self)
    let manager = InitManager([
      Session {
        telling.yield()
        while !Task.isCancelled { await Task.yield() }
        journal.note("stopped")
      }
    ])
    let group = group([
      InitializationService(manager), AfterInitialization(manager) { Inner { journal.note("server") } },
    ])
    let running = Task { try await group.run() }
    for await _ in started { break }
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(journal.entries == ["stopped"])
    #expect(manager.activeState.current == .pending)
  }

  @Test("A supervisor is a service: ready before the wrapped service, and ended with the group and its commands (S24)")
  func supervisor() async throws {
    let directory = TemporaryDirectory()
    let journal = Journal()
    let supervisor = try await EmbeddedSupervisor.start(
      at: "\(directory.path)/socket", initializers: [Session { journal.note("session") }],
      others: [
        .command("first", ["true"]),
        .command("endless", ["sleep", "600"], priority: .appActive, dependencies: ["Session"], isOptional: true),
      ],
      logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    let group = group([
      InitializationService(supervisor), AfterInitialization(supervisor) { Inner { journal.note("server") } },
    ])
    let running = Task { try await group.run() }
    for await state in supervisor.launchState.values where state == .complete { break }
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(!journal.entries.contains("server"))
    #expect(directory.names.isEmpty)
  }

  @Test("A supervisor that a client ends also ends its service, and the group as configured")
  func endedSupervisor() async throws {
    let directory = TemporaryDirectory()
    let supervisor = try await EmbeddedSupervisor.start(
      at: "\(directory.path)/socket", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    let group = group([InitializationService(supervisor)])
    let running = Task { try await group.run() }
    for await state in supervisor.state.values where state == .complete { break }
    await supervisor.shutDown()
    try await running.value
  }
}
