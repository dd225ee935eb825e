import AppInitializers

/// An initializer that runs the test's closure.
class Scripted: AppInitializer {
  let name: String
  let priority: InitializerPriority
  let dependencies: [any AppInitializer.Type]
  let dependencyNames: [String]
  private let body: @Sendable () async throws -> Void

  init(
    _ name: String, _ priority: InitializerPriority = .appLaunch, after dependencyNames: [String] = [],
    types: [any AppInitializer.Type] = [], body: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.name = name
    self.priority = priority
    self.dependencies = types
    self.dependencyNames = dependencyNames
    self.body = body
  }

  func run() async throws { try await body() }
  func stop() async {}
}

/// An error of the tests' own.
struct Broken: Error, Equatable {
  let number: Int
}
