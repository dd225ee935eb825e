import AppInitializers

final class Migrate: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws { print("migrating") }
}

final class Session: AppInitializer {
  let priority = InitializerPriority.appActive
  let dependencies: [any AppInitializer.Type] = [Migrate.self]
  func run() async throws { print("refreshing the session") }
}

func open() async {
  let manager = InitManager([Session(), Migrate()])
  await manager.activate()
  for await state in manager.state.values where state != .pending { return print(state) }
}

await open()
