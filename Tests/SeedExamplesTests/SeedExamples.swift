// swift-format-ignore-file: the examples are unchanged from the original.

import AppInitializers
import AppInitializersPublishers

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

// Every code example of the original's documents, unchanged except for whitespace and these changes; SeedExamplesTests runs them:
//
// | example | document | changed |
// | --- | --- | --- |
// | CompositeAppState | Monitoring Initialization State | imports; the property has a first value |
// | IndependentAppState | Monitoring Initialization State | imports; the properties have first values; `lauchState` is `launchState` |
// | MyApp, composite | Monitoring Initialization State | its name; `@main` is the test's; `appState` isn't private, so that the test gives it; `.completed` is `.complete`; stand-ins for SwiftUI |
// | MyApp, independent | Monitoring Initialization State | its name; `@main`; `appState` isn't private; a comma between the binding's arguments; `showLoading` is `showLoadingModal`; `return`; stand-ins |
// | FavoritesInitializer | Defining App Initializers | nothing |
// | priority alone, dependencies alone, run() alone | Defining App Initializers | nothing: they are parts of FavoritesInitializer |
// | InitManager of three | Executing Initializers | FavoritesInitializer gets the repository that its definition asks for; it is in SeedExamplesTests |
//
// Error Handling and Managing Dependencies contain only drawings.

/// The manager of the original's examples.
enum AppInitModule {
  struct Module {
    func initManager() -> InitManager { InitManager([]) }
  }
  static let shared = Module()
}

class CompositeAppState: ObservableObject {
  private let initManager: InitManager

  @Published
  private(set) var uiState: InitializationState = .pending

  init(initManager: InitManager = AppInitModule.shared.initManager()) {
    self.initManager = initManager

    //Assign the initManger's `state` publisher to the uiState property.
    self.initManager.state.assign(to: &$uiState)
  }
}

class IndependentAppState: ObservableObject {
  private let initManager: InitManager

  @Published
  private(set) var launchState: InitializationState = .pending

  @Published
  private(set) var activeState: InitializationState = .pending

  init(initManager: InitManager = AppInitModule.shared.initManager()) {
    self.initManager = initManager

    //Assign the initManger's `launchState` publisher to the launchState property.
    self.initManager.launchState.assign(to: &$launchState)

    //Assign the initManger's `activeState` publisher to the activeState property.
    self.initManager.activeState.assign(to: &$activeState)
  }
}

// MyApp, twice.

struct CompositeApp: App {

  //Create and observe an AppState() instance
  @ObservedObject
  var appState = CompositeAppState()

  var body: some Scene {
    WindowGroup {

      // Update the UI when the appState.uiState published property changes.
      switch appState.uiState {
      case .pending:
        SplashScreen()
      case .failed(let error):
        AppErrorScreen(error)
      case .complete:
        AppContent()
      }
    }
  }
}

struct IndependentApp: App {
  @StateObject
  var appState = IndependentAppState()

  var body: some Scene {

    // Create a "one way" binding to the activeState
    // and map it to a Bool to control display of the loading modal
    let showLoadingModal = Binding(
      get: { appState.activeState == .pending },
      set: { _ in }  // do nothing. The AppState model controls the state.
    )

    return MyAppContent {
      switch appState.launchState {
      case .pending:
        SplashScreen()
      case .complete:
        AppContent()
          .fullScreenCover(isPresented: showLoadingModal) {
            Text("Please Wait ... ")
              .interactiveDismissDisabled()  // don't allow the user to swipe the cover away
          }
      case .failed(let error):
        LoadingFailed(reason: error)
      }
    }
  }
}

// Defining App Initializers.

class FavoritesInitializer: AppInitializer {
  private let favoritesRepo: FavoritesRepository

  init(favoritesRepo: FavoritesRepository) {
    self.favoritesRepo = favoritesRepo
  }

  var priority: AppInitializers.InitializerPriority = .appLaunch

  var dependencies: [any AppInitializers.AppInitializer.Type] = [
    EventManagerInitializer.self,
    FeatureTogglesInitializer.self,
  ]

  func run() async throws {
    try await favoritesRepo.fetchUserFavorites()
  }
}
