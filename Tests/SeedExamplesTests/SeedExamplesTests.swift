import AppInitializers
import Testing

private final class Broken: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws { throw CancellationError() }
}

@MainActor
private func settled(_ state: ObservableState) async -> InitializationState? {
  for await value in state.values where value != .pending { return value }
  return nil
}

@Suite("Examples of the original")
@MainActor
struct SeedExamplesTests {
  @Test("The composite model shows the composite state, and its app the matching screen")
  func compositeModel() async {
    let manager = InitManager([EventManagerInitializer()], on: MainActor.shared)
    let model = CompositeAppState(initManager: manager)
    let app = CompositeApp(appState: model)
    #expect(model.uiState == .pending)
    #expect(app.body.words == "splash")
    await manager.activate()
    _ = await settled(manager.state)
    #expect(model.uiState == .complete)
    #expect(app.body.words == "content")
  }

  @Test("The independent model shows each state separately, and its app the matching screen")
  func independentModel() async {
    let manager = InitManager([EventManagerInitializer()], on: MainActor.shared)
    let app = IndependentApp(appState: IndependentAppState(initManager: manager))
    #expect(app.body.words == "splash")
    _ = await settled(manager.launchState)
    #expect(app.appState.launchState == .complete)
    #expect(app.appState.activeState == .pending)
    #expect(app.body.words == "content, covered by Please Wait ... ")
    await manager.activate()
    _ = await settled(manager.activeState)
    #expect(app.appState.activeState == .complete)
    #expect(app.body.words == "content")
  }

  @Test("A failure is shown with its error")
  func failure() async {
    let manager = InitManager([Broken()], on: MainActor.shared)
    let composite = CompositeApp(appState: CompositeAppState(initManager: manager))
    let independent = IndependentApp(appState: IndependentAppState(initManager: manager))
    _ = await settled(manager.state)
    #expect(composite.body.words.hasPrefix("error: Broken failed"))
    #expect(independent.body.words.hasPrefix("failed: Broken failed"))
  }

  @Test("Without its own manager, a model uses the app's")
  func sharedManager() async {
    #expect(CompositeAppState().uiState == .pending)
  }

  @Test("Favourites are fetched after their dependencies, with a concurrency of three")
  func favorites() async {
    let repository = FavoritesRepository()
    let initManager = InitManager([
      EventManagerInitializer(),
      FeatureTogglesInitializer(),
      FavoritesInitializer(favoritesRepo: repository),
    ])
    #expect(await settled(initManager.launchState) == .complete)
    #expect(repository.count == 1)
  }
}
