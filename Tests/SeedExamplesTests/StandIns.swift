// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AppInitializers
import Synchronization

// Replacements for the app's types in the examples, and for the part of SwiftUI that they use. A screen is represented by its text.

final class FavoritesRepository: Sendable {
  private let fetched = Mutex(0)
  var count: Int { fetched.withLock { $0 } }
  func fetchUserFavorites() async throws { fetched.withLock { $0 += 1 } }
}

final class EventManagerInitializer: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

final class FeatureTogglesInitializer: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

protocol Scene {
  var words: String { get }
}

protocol App {
  associatedtype Body: Scene
  var body: Body { get }
}

struct Screen: Scene {
  var words: String

  func fullScreenCover(isPresented: Binding, cover: () -> Screen) -> Screen {
    isPresented.value ? Screen(words: "\(words), covered by \(cover().words)") : self
  }

  func interactiveDismissDisabled() -> Screen { self }
}

@resultBuilder
enum ScreenBuilder {
  static func buildBlock(_ screen: Screen) -> Screen { screen }
  static func buildEither(first screen: Screen) -> Screen { screen }
  static func buildEither(second screen: Screen) -> Screen { screen }
}

func WindowGroup(@ScreenBuilder content: () -> Screen) -> Screen { content() }
func MyAppContent(@ScreenBuilder content: () -> Screen) -> Screen { content() }
func SplashScreen() -> Screen { Screen(words: "splash") }
func AppContent() -> Screen { Screen(words: "content") }
func AppErrorScreen(_ error: AppInitializationError) -> Screen { Screen(words: "error: \(error)") }
func LoadingFailed(reason: AppInitializationError) -> Screen { Screen(words: "failed: \(reason)") }
func Text(_ words: String) -> Screen { Screen(words: words) }

struct Binding {
  private let read: () -> Bool
  init(get: @escaping () -> Bool, set: @escaping (Bool) -> Void) { read = get }
  var value: Bool { read() }
}

@propertyWrapper
struct ObservedObject<Model: AnyObject> {
  let wrappedValue: Model
}

@propertyWrapper
struct StateObject<Model: AnyObject> {
  let wrappedValue: Model
}
