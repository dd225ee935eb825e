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
///
/// The manager reads the properties once, when it is made.
public protocol AppInitializer: AnyObject, SendableMetatype {
  /// The name that states, events and errors carry, and that ``dependencyNames`` of others mean. The type's name by default.
  ///
  /// If two types of one name are in a manager, it shows as much of their qualified names as tells them apart: `Orders.Migrate` and
  /// `Users.Migrate`. Two objects of one type need names of their own (S2).
  var name: String { get }
  /// The phase that executes it (S3, S4).
  var priority: InitializerPriority { get }
  /// The types of the initializers that complete before it starts (S6). None by default.
  ///
  /// A type means the objects of that very type. If there are none, it means those of its subclasses. It never means an object
  /// of another type that has the same name.
  var dependencies: [any AppInitializer.Type] { get }
  /// Further dependencies by name: commands, workers, or an initializer with a name of its own. None by default.
  var dependencyNames: [String] { get }
  /// How long one attempt may take (S15). `nil`, the default, is no limit.
  ///
  /// After that time the run has failed and its task is cancelled. The pass ends, or the next attempt starts, when ``run()`` has returned.
  var timeout: Duration? { get }
  /// How often a failed run is tried again, and how long the manager waits before that (S16). ``RetryPolicy/never`` by default.
  var retry: RetryPolicy { get }
  /// Whether the pass goes on when this fails (S8). `false` by default.
  var isOptional: Bool { get }
  /// Does the task, once a pass. What it throws fails the pass (S8).
  ///
  /// When the run is cancelled its task is: it should return or throw soon, and its result doesn't count (S12, S13).
  func run() async throws
  /// Releases what ``run()`` has set up, e.g. closes a connection. Does nothing by default.
  ///
  /// The manager calls it once, at ``InitManager/finish()``, if a run has completed: after everything has stopped, and in the reverse
  /// order of completion (S24). A call that takes longer than 10 s has its task cancelled. After 5 s more the manager goes on without it.
  func stop() async
}

extension AppInitializer {
  public var name: String { TypeName.short(type(of: self)) }
  public var dependencies: [any AppInitializer.Type] { [] }
  public var dependencyNames: [String] { [] }
  public var timeout: Duration? { nil }
  public var retry: RetryPolicy { .never }
  public var isOptional: Bool { false }
  public func stop() async {}
}
