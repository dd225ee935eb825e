import AppInitializers
import AppInitializersWorker
import InitClient

final class Favorites: ContextualInitializer {
  let priority = InitializerPriority.appActive
  func run(_ context: RunContext) async throws -> [String] { ["The Hobbit"] }
}

do {
  try await Worker("shelf", serving: [Favorites()], at: "/nonexistent/initd.sock").run(connectingWithin: .zero)
} catch let error as SupervisorError where error.kind == .unreachable {
  print(error)
}
