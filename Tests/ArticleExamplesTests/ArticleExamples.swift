import AppInitializers

// The code blocks of the articles. Tests/Docs finds each example here, so all of them compile.

struct FavoritesRepository {
  func fetch() async throws {}
}

final class EventsInitializer: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

final class SessionInitializer: AppInitializer {
  let priority = InitializerPriority.appActive
  func run() async throws {}
}

// Defining Initializers

final class FavoritesInitializer: AppInitializer {
  private let repository: FavoritesRepository

  init(repository: FavoritesRepository = FavoritesRepository()) { self.repository = repository }

  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [EventsInitializer.self, TogglesInitializer.self]

  func run() async throws { try await repository.fetch() }
}

final class TogglesInitializer: ContextualInitializer {
  let priority = InitializerPriority.appLaunch

  func run(_ context: RunContext) async throws -> Set<String> {
    await context.report(fraction: 0.5, message: "half of the toggles")
    return ["favorites"]
  }
}

final class ShelvesInitializer: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [TogglesInitializer.self]

  func run(_ context: RunContext) async throws {
    let toggles = try context.output(of: TogglesInitializer.self)
    print(toggles.contains("favorites") ? "with favorites" : "without")
  }
}

private func fetchPrices() async throws {}

final class PricesInitializer: AppInitializer {
  let priority = InitializerPriority.appActive
  let timeout: Duration? = .seconds(10)
  let retry = RetryPolicy(attempts: 3, delay: .seconds(1))
  let isOptional = true

  func run() async throws { try await fetchPrices() }
}

// Managing Dependencies

final class A: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

final class B: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [A.self]
  func run() async throws {}
}

final class C: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [B.self]
  func run() async throws {}
}

// Executing Initializers

final class Announcer: AppInitializerEventsDelegate {
  func initializerDidComplete(_ run: InitializerRun, after duration: Duration) {
    print("\(run.initializer) took \(duration)")
  }

  func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome) {
    print("pass \(pass.number): \(outcome)")
  }
}

// Monitoring State

func show(_ state: ObservableState) async {
  for await value in state.values {
    switch value {
    case .pending: print("one moment …")
    case .complete: print("come in")
    case .failed(let error): print("closed: \(error)")
    }
  }
}

func launched(_ manager: InitManager) async -> Bool {
  for await state in manager.launchState.values where state != .pending { return state == .complete }
  return false
}

// Error Handling

func explain(_ error: AppInitializationError) -> String {
  switch error {
  case .circularDependency(let cycle): "these wait for each other: \(cycle.joined(separator: " → "))"
  case .missingDependency(let initializer, let dependency): "\(initializer) needs \(dependency), which isn't there"
  case .duplicateInitializer(let name): "there are two of the name \(name)"
  case .initializerFailed(let initializer, let underlying): "\(initializer) failed: \(underlying)"
  }
}
