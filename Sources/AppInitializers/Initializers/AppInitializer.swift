/// A task that an app runs when it launches, or each time it becomes active.
///
/// An initializer has one task, and lists its dependencies. An ``InitManager`` runs it when its turn comes.
///
/// ```swift
/// final class FavoritesInitializer: AppInitializer {
///   let priority = InitializerPriority.appLaunch
///   let dependencies: [any AppInitializer.Type] = [EventManagerInitializer.self]
///   func run() async throws { try await favorites.fetch() }
/// }
/// ```
///
/// The manager reads the properties once, when it is created.
public protocol AppInitializer: AnyObject, SendableMetatype {
  /// The name in states, events and errors, and in ``dependencyNames`` of others.
  ///
  /// The type's name by default.
  ///
  /// If two types in a manager have the same name, it shows as much of their qualified names as distinguishes them: `Orders.Migrate` and
  /// `Users.Migrate`. Two objects of one type must declare different names (S2).
  var name: String { get }
  /// The phase that executes the initializer (S3, S4).
  var priority: InitializerPriority { get }
  /// The types of the initializers that complete before it starts (S6).
  ///
  /// The list is empty by default.
  ///
  /// A type means the objects of exactly that type. If there are none, the type means the objects of its subclasses. It never means an
  /// object of another type that has the same name.
  var dependencies: [any AppInitializer.Type] { get }
  /// Further dependencies by name: commands, initializers of workers, or initializers that declare a name.
  ///
  /// The list is empty by default.
  var dependencyNames: [String] { get }
  /// The maximum time for one attempt (S15).
  ///
  /// `nil`, the default, is no limit.
  ///
  /// After that time the run has failed and its task is cancelled. The pass ends, or the next attempt starts, when ``run()`` has returned.
  var timeout: Duration? { get }
  /// How often a failed run is retried, and the delay before each retry (S16).
  ///
  /// ``RetryPolicy/never`` by default.
  var retry: RetryPolicy { get }
  /// Whether the pass continues if this fails (S8).
  ///
  /// `false` by default.
  var isOptional: Bool { get }
  /// Does the task, once per pass.
  ///
  /// Throwing an error fails the pass (S8).
  ///
  /// When a run is cancelled, its task is cancelled: return or throw soon. The result doesn't count (S12, S13).
  func run() async throws
  /// Releases the resources that ``run()`` acquired, for example closes a connection.
  ///
  /// Does nothing by default.
  ///
  /// The manager calls it once, at ``InitManager/finish()``, if a run has completed: after all runs have stopped, and in the reverse order
  /// of completion (S24). A call that takes longer than 10 s has its task cancelled. After 5 s more the manager continues without waiting
  /// for it.
  func stop() async
}

extension AppInitializer {
  /// The type's name.
  public var name: String { TypeName.short(type(of: self)) }
  /// None.
  public var dependencies: [any AppInitializer.Type] { [] }
  /// None.
  public var dependencyNames: [String] { [] }
  /// No limit.
  public var timeout: Duration? { nil }
  /// No retries.
  public var retry: RetryPolicy { .never }
  /// The pass fails if this fails.
  public var isOptional: Bool { false }
  /// Does nothing.
  public func stop() async {}
}
