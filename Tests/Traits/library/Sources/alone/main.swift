import AppInitializers

final class Migrate: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws { print("migrating") }
}

try await InitManager([Migrate()]).launched()
print("launched")
