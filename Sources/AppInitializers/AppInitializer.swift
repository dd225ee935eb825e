/// One task that an app needs done when it launches, or each time it becomes active.
///
/// An initializer does a single thing, and names what has to be complete before it. An ``InitManager`` runs it when its turn comes.
///
/// ```swift
/// final class FavoritesInitializer: AppInitializer {
///   let priority = InitializerPriority.appLaunch
///   let dependencies: [any AppInitializer.Type] = [EventManagerInitializer.self]
///   func run() async throws { try await favorites.fetch() }
/// }
/// ```
public protocol AppInitializer: AnyObject {
  /// The name that others depend on and that states, events and errors carry. The type's name, unless said otherwise.
  var name: String { get }
  /// The phase that executes it (S3, S4).
  var priority: InitializerPriority { get }
  /// The types of the initializers that complete before it starts (S6). None, unless said otherwise.
  var dependencies: [any AppInitializer.Type] { get }
  /// Further dependencies by name: commands, workers, or an initializer with a name of its own. None, unless said otherwise.
  var dependencyNames: [String] { get }
  /// Does the task, once a pass. What it throws fails the pass (S8).
  ///
  /// When the run is cancelled its task is: it should return or throw soon, and its result doesn't count (S12, S13).
  func run() async throws
}

extension AppInitializer {
  public var name: String { Self.defaultName }
  public var dependencies: [any AppInitializer.Type] { [] }
  public var dependencyNames: [String] { [] }

  /// The name of the type, which is an initializer's unless it says otherwise.
  static var defaultName: String { String(describing: Self.self) }
}
