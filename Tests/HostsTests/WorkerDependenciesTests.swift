import AppInitializers
import AppInitializersWorker
import InitClient
import InitModel
import InitSupervisor
import Logging
import TestSupport
import Testing

/// What a dependency by type means in a worker.
@Suite("Worker's dependencies")
struct WorkerDependenciesTests {
  private let directory = TemporaryDirectory()
  private let quiet = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }
  private var path: String { directory["socket"] }

  @Test("A dependency on a type of another process is never satisfied by a namesake: the error names both types")
  func namesakes() async throws {
    let own = Worker("shelf", serving: [Users.Migrate(), Load([Orders.Migrate.self])], at: path)
    let taken = await #expect(throws: SupervisorError.self) { try await own.run() }
    #expect(taken?.kind == .nameConflict)
    #expect(
      taken?.description == """
        cannot register: this worker has no object of HostsTests.Orders.Migrate, so the dependency means the supervisor's initializer \
        "Migrate", but HostsTests.Users.Migrate of this worker has that name; give HostsTests.Users.Migrate a `name` of its own
        """)

    let renamed = Worker("shelf", serving: [Load([], "Migrate"), Load([Orders.Migrate.self])], at: path)
    let chosen = await #expect(throws: SupervisorError.self) { try await renamed.run() }
    #expect(chosen?.kind == .nameConflict)

    let both = Worker("shelf", serving: [Load([Users.Migrate.self, Orders.Migrate.self])], at: path)
    let ambiguous = await #expect(throws: SupervisorError.self) { try await both.run() }
    #expect(ambiguous?.kind == .nameConflict)
    #expect(
      ambiguous?.description == """
        cannot register: this worker has no objects of HostsTests.Users.Migrate and HostsTests.Orders.Migrate, so both dependencies mean \
        the supervisor's initializer "Migrate"; give one of them another `name` where it is served, and depend on it with `dependencyNames`
        """)
  }

  @Test("A dependency on a type of another process means the supervisor's initializer with the type's name")
  func absentType() async throws {
    let supervisor = try await EmbeddedSupervisor.start(
      at: path, initializers: [Orders.Migrate()], others: [.worker("Load", dependencies: ["Migrate"])], logger: quiet)
    // Two dependents of one absent type, and objects whose names differ from it.
    let worker = Worker(
      "shelf", serving: [Load([Orders.Migrate.self]), Users.Migrate("users"), Load([Orders.Migrate.self], "Again")],
      at: path)
    let serving = Task { try await worker.run() }
    try await supervisor.launched()
    let client = try await SupervisorClient.connect(at: path)
    #expect(try await client.status()["Load"]?.dependencies == ["Migrate"])
    serving.cancel()
    try await serving.value
    await supervisor.shutDown()
  }
}

/// Two types with one short name.
private enum Orders {
  final class Migrate: AppInitializer, Sendable {
    let priority = InitializerPriority.appLaunch
    func run() async throws {}
  }
}

private enum Users {
  final class Migrate: AppInitializer, Sendable {
    let name: String
    let priority = InitializerPriority.appLaunch

    init(_ name: String = "Migrate") { self.name = name }
    func run() async throws {}
  }
}

/// Needs them.
private final class Load: AppInitializer, Sendable {
  let name: String
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type]

  init(_ dependencies: [any AppInitializer.Type], _ name: String = "Load") {
    self.name = name
    self.dependencies = dependencies
  }
  func run() async throws {}
}
