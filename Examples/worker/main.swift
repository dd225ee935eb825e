import AppInitializers
import AppInitializersWorker
import Glibc

final class Catalogue: ContextualInitializer, Sendable {
  let name = "catalogue"
  let priority = InitializerPriority.appLaunch

  func run(_ context: RunContext) async throws -> [String] {
    var titles: [String] = []
    for number in 1...100 {
      try Task.checkCancellation()  // throws when the run is cancelled
      titles.append("book \(number)")
      await context.report(fraction: Double(number) / 100, message: "\(number) titles")
    }
    return titles
  }
}

final class Favorites: ContextualInitializer, Sendable {
  let name = "favorites"
  let priority = InitializerPriority.appActive
  let dependencies: [any AppInitializer.Type] = [Catalogue.self]

  func run(_ context: RunContext) async throws {
    let titles = try context.output(of: Catalogue.self)
    print("favorites of \(titles.count) books, in pass \(context.passNumber)")
  }
}

let worker = Worker("shelf", serving: [Catalogue(), Favorites()])
try await worker.run(endingOn: [SIGTERM, SIGINT]) { change in print(change) }
