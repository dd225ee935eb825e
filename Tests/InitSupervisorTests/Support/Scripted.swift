import AppInitializers

/// An initializer of the program that runs the test's closure.
final class Scripted: AppInitializer, Sendable {
  let name: String
  let priority: InitializerPriority
  let dependencyNames: [String]
  private let body: @Sendable () throws -> Void

  init(
    _ name: String, _ priority: InitializerPriority = .appLaunch, after dependencyNames: [String] = [],
    body: @escaping @Sendable () throws -> Void = {}
  ) {
    self.name = name
    self.priority = priority
    self.dependencyNames = dependencyNames
    self.body = body
  }

  /// Runs `body`, which may block the thread.
  func run() async throws { try body() }
}
