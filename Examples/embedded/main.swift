import AppInitializers
import Glibc
import InitSupervisor

final class Catalogue: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencyNames = ["migrate"]
  func run() async throws { print("loading the catalogue") }
}

let supervisor = try await EmbeddedSupervisor.start(
  initializers: [Catalogue()],
  others: [
    .command("migrate", ["echo", "migrating"]),
    .worker("favorites", priority: .appActive, dependencies: ["Catalogue"]),
  ], endingOn: [SIGINT, SIGTERM])

await supervisor.activate()
for await state in supervisor.state.values where state != .pending {
  print(state)
  break
}
await supervisor.ended()
