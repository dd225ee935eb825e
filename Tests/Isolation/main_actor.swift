// compiles
// An initializer may be isolated to the main actor, or use objects that are.
import AppInitializers

@MainActor final class Model { var n = 0 }
@MainActor final class X: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let model = Model()
  func run() async throws { model.n += 1 }
}
final class Y: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [X.self]
  let model: Model
  init(_ model: Model) { self.model = model }
  func run() async throws { await MainActor.run { model.n += 1 } }
}
@MainActor func start() -> InitManager { InitManager([X(), Y(Model())], concurrency: 2) }
@MainActor func start2() -> InitManager { InitManager([X(), Y(Model())]) }
