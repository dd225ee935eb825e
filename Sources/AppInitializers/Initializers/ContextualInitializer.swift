/// An initializer with access to its run: it can report progress, return a value for its dependents, and read the values of its
/// dependencies.
///
/// ```swift
/// final class FeatureToggles: ContextualInitializer {
///   let priority = InitializerPriority.appLaunch
///   func run(_ context: RunContext) async throws -> Set<String> { try await fetchToggles() }
/// }
///
/// final class Favorites: ContextualInitializer {
///   let priority = InitializerPriority.appLaunch
///   let dependencies: [any AppInitializer.Type] = [FeatureToggles.self]
///   func run(_ context: RunContext) async throws {
///     guard try context.output(of: FeatureToggles.self).contains("favorites") else { return }
///     await context.report(fraction: 0.5, message: "half of the shelves")
///   }
/// }
/// ```
public protocol ContextualInitializer: AppInitializer {
  /// The type of the output for dependents (S25); `Void` for no output, ``Secret`` for a confidential one.
  associatedtype Output: Sendable

  /// Does the task, once per pass, like ``AppInitializer/run()``.
  ///
  /// The returned value is dropped if the run was cancelled (S12).
  func run(_ context: RunContext) async throws -> Output
}

extension ContextualInitializer {
  /// Throws: only a manager can run a contextual initializer.
  public func run() async throws { throw MissingContext(initializer: name) }
}

/// `run()` was called directly on an initializer that needs a context.
public struct MissingContext: Error, Hashable, Sendable, CustomStringConvertible {
  /// The initializer's name.
  public let initializer: String

  /// Says what is wrong, and what to do.
  public var description: String { "cannot run \(initializer) without a context: let an InitManager run it" }
}
