import AppInitializers
import AppInitializersWorker
import InitClient
import InitModel
import InitSupervisor
import Logging
import TestSupport
import Testing

// The code blocks of the articles of InitClient and InitSupervisor. Tests/Docs compares them.

private final class Favorites: ContextualInitializer, Sendable {
  let priority = InitializerPriority.appActive
  let dependencyNames = ["toggles"]

  func run(_ context: RunContext) async throws -> [String] {
    let toggles: [String] = try context.output(of: "toggles")
    await context.report(fraction: 0.5, message: "half of the shelves")
    return toggles.contains("favorites") ? ["The Hobbit"] : []
  }
}

private final class Migrate: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

private final class Catalogue: AppInitializer, Sendable {
  let priority = InitializerPriority.appActive
  let dependencies: [any AppInitializer.Type] = [Migrate.self]
  func run() async throws {}
}

private func serve() async throws {
  let worker = Worker("shelf", serving: [Favorites()])
  try await worker.run()
}

private func ask() async throws {
  let client = try await SupervisorClient.connect()
  try await client.activate()
  try await client.wait(for: .ready, timeout: .seconds(30))
  print(try await client.status().initializers.map(\.name))
}

private func host() async throws {
  let manager = InitManager([Migrate(), Catalogue()])
  await manager.finish()
  let worker = Worker("catalogue", serving: [Migrate(), Catalogue()])
  try await worker.run()
}

private func embed() async throws {
  let supervisor = try await EmbeddedSupervisor.start(initializers: [Migrate(), Catalogue()])
  await supervisor.finish()
}

private func embedMore() async throws {
  let supervisor = try await EmbeddedSupervisor.start(
    initializers: [Migrate(), Catalogue()],
    others: [.command("fetch", ["./fetch", "--all"]), .worker("favorites", priority: .appActive)])
  try await supervisor.launched()
  await supervisor.activate()
  try await supervisor.ready()
}

@Suite("Examples of articles")
struct ArticleExamplesTests {
  @Test("A worker's initializer reads a command's output, and its own output reaches its dependents (S25)")
  func worker() async throws {
    let directory = TemporaryDirectory()
    let supervisor = try await EmbeddedSupervisor.start(
      at: directory["socket"],
      others: [
        .command("toggles", ["sh", "-c", #"echo '["favorites"]' > "$INITD_OUTPUT""#]),
        .worker("Favorites", priority: .appActive, dependencies: ["toggles"]),
      ],
      logger: Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() })
    let worker = Worker("shelf", serving: [Favorites()], at: directory["socket"])
    let serving = Task { try await worker.run() }
    try await supervisor.launched()
    await supervisor.activate()
    try await supervisor.ready()
    #expect(await supervisor.output(of: "Favorites", as: [String].self) == ["The Hobbit"])
    serving.cancel()
    try await serving.value
    await supervisor.shutDown()
  }
}
