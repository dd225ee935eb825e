/// Takes a type's place in a manager, for tests: whatever depends on the type is satisfied by this.
///
/// ```swift
/// let manager = InitManager([
///   Favorites(), StandIn(for: FeatureToggles.self) { _ in ["favorites"] },
/// ])
/// ```
///
/// It has the type's name, and the compiler checks that it hands over what the type does. The other way to put a double in a type's place
/// is a subclass.
public final class StandIn: AppInitializer, Sendable {
  let type: any AppInitializer.Type
  let body: @Sendable (RunContext) async throws -> any Sendable
  /// The name of the type in whose place it is.
  public let name: String
  /// The phase that executes it.
  public let priority: InitializerPriority
  /// What has to be complete before it; by default nothing, whatever the type depends on.
  public var dependencies: [any AppInitializer.Type] { [] }
  /// The same by name.
  public let dependencyNames: [String]

  private init(
    _ type: any AppInitializer.Type, _ priority: InitializerPriority, _ dependencyNames: [String],
    _ body: @escaping @Sendable (RunContext) async throws -> any Sendable
  ) {
    self.type = type
    self.name = TypeName.short(type)
    self.priority = priority
    self.dependencyNames = dependencyNames
    self.body = body
  }

  /// Stands in for an initializer.
  ///
  /// - Parameters:
  ///   - type: whose place it takes.
  ///   - priority: the phase that executes it.
  ///   - dependencyNames: the names of what has to be complete before it.
  ///   - run: what it does; nothing by default. What it throws fails the pass (S8).
  public convenience init(
    for type: any AppInitializer.Type, priority: InitializerPriority = .appLaunch, dependencyNames: [String] = [],
    run: @escaping @Sendable (RunContext) async throws -> Void = { _ in }
  ) {
    self.init(type, priority, dependencyNames) { try await run($0) }
  }

  /// Stands in for an initializer that hands over a value: `run` returns a value of the same type.
  ///
  /// - Parameters:
  ///   - type: whose place it takes.
  ///   - priority: the phase that executes it.
  ///   - dependencyNames: the names of what has to be complete before it.
  ///   - run: what it does. What it throws fails the pass (S8).
  public convenience init<Initializer: ContextualInitializer>(
    for type: Initializer.Type, priority: InitializerPriority = .appLaunch, dependencyNames: [String] = [],
    run: @escaping @Sendable (RunContext) async throws -> Initializer.Output
  ) {
    self.init(type, priority, dependencyNames, run)
  }

  /// Throws: only a manager can run it, as it gives it a context.
  public func run() async throws { throw MissingContext(initializer: name) }
}
