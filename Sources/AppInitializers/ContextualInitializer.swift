/// An initializer that wants to know of its run: reports how far it is, hands a value to those that depend on it, and takes theirs.
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
  /// What it hands to those that depend on it (S25); `Void` for nothing, ``Secret`` for what mustn't be seen.
  associatedtype Output: Sendable

  /// Does the task, once a pass; what ``AppInitializer/run()`` says holds. What it returns counts only if the run does (S12).
  func run(_ context: RunContext) async throws -> Output
}

extension ContextualInitializer {
  /// Throws: only a manager can run an initializer that wants a context.
  public func run() async throws { throw MissingContext(initializer: name) }
}

/// Somebody called `run()` of an initializer that is run with a context.
public struct MissingContext: Error, Hashable, Sendable, CustomStringConvertible {
  /// The initializer's name.
  public let initializer: String

  /// What is wrong, and what to do.
  public var description: String { "cannot run \(initializer) without a context: let an InitManager run it" }
}
