import AppInitializers
import InitSupervisor

final class Catalogue: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencyNames = ["migrate"]
  func run() async throws { print("loading the catalogue") }
}

let supervisor = try await EmbeddedSupervisor.start(
  at: CommandLine.arguments[1], initializers: [Catalogue()], others: [.command("migrate", ["true"])])
try await supervisor.launched()
await supervisor.shutDown()
