/// Replaces a type in a manager, for tests: it satisfies every dependency on the type.
///
/// ```swift
/// let manager = InitManager([
///   Favorites(), StandIn(for: FeatureToggles.self) { _ in ["favorites"] },
/// ])
/// ```
///
/// A stand-in has the type's name, and the compiler checks that its output has the same type. You can also use a subclass as a test double.
public final class StandIn: AppInitializer, Sendable {
  let type: any AppInitializer.Type
  let body: @Sendable (RunContext) async throws -> any Sendable
  /// The name of the replaced type.
  public let name: String
  /// The phase that executes the stand-in.
  public let priority: InitializerPriority
  /// The dependencies; none by default, even if the type has some.
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
  ///   - type: the type that this object replaces.
  ///   - priority: the phase that executes the object.
  ///   - dependencyNames: the names of the object's dependencies.
  ///   - run: the task of the object; it does nothing by default. A thrown error fails the pass (S8).
  public convenience init(
    for type: any AppInitializer.Type, priority: InitializerPriority = .appLaunch, dependencyNames: [String] = [],
    run: @escaping @Sendable (RunContext) async throws -> Void = { _ in }
  ) {
    self.init(type, priority, dependencyNames) { try await run($0) }
  }

  /// Stands in for an initializer with an output: `run` returns a value of the same type.
  ///
  /// - Parameters:
  ///   - type: the type that this object replaces.
  ///   - priority: the phase that executes the object.
  ///   - dependencyNames: the names of the object's dependencies.
  ///   - run: the task of the object. A thrown error fails the pass (S8).
  public convenience init<Initializer: ContextualInitializer>(
    for type: Initializer.Type, priority: InitializerPriority = .appLaunch, dependencyNames: [String] = [],
    run: @escaping @Sendable (RunContext) async throws -> Initializer.Output
  ) {
    self.init(type, priority, dependencyNames, run)
  }

  /// Throws: only a manager can run it, with a context.
  public func run() async throws { throw MissingContext(initializer: name) }
}
