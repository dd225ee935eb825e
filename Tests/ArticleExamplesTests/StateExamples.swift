import AppInitializers
import Synchronization
import Testing

// Initializers with State

final class Catalogue {
  var books: [String] = []
}

final class LoadBooks: AppInitializer {
  let priority = InitializerPriority.appLaunch
  private let catalogue: Catalogue
  init(_ catalogue: Catalogue) { self.catalogue = catalogue }

  func run() async throws { catalogue.books.append("The Left Hand of Darkness") }
}

final class SortBooks: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [LoadBooks.self]
  private let catalogue: Catalogue
  init(_ catalogue: Catalogue) { self.catalogue = catalogue }

  func run() async throws { catalogue.books.sort() }
}

func makeManager() -> InitManager {
  let catalogue = Catalogue()
  return InitManager([LoadBooks(catalogue), SortBooks(catalogue)])
}

final class Prices: Sendable {
  private let amounts = Mutex<[String: Int]>([:])
  func set(_ amount: Int, for title: String) { amounts.withLock { $0[title] = amount } }
  var count: Int { amounts.withLock { $0.count } }
}

final class LoadPrices: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  private let prices: Prices
  init(_ prices: Prices) { self.prices = prices }

  func run() async throws { prices.set(12, for: "Solaris") }
}

actor Session {
  private(set) var token: String?
  func refresh() async throws { token = "a new one" }
}

final class RefreshSession: AppInitializer, Sendable {
  let priority = InitializerPriority.appActive
  private let session: Session
  init(_ session: Session) { self.session = session }

  func run() async throws { try await session.refresh() }
}

final class OpenDatabase: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  private let connection = Mutex<String?>(nil)

  func run() async throws { connection.withLock { $0 = "connected" } }
  func stop() async { connection.withLock { $0 = nil } }
}

@Suite("Examples of the article on state")
struct StateExamples {
  @Test("Shared state, one at a time")
  func oneAtATime() async throws { try await makeManager().launched() }

  @Test("Shared state, at once")
  func atOnce() async throws {
    let prices = Prices()
    let session = Session()
    let manager = InitManager([LoadPrices(prices), RefreshSession(session)], concurrency: 4)
    await manager.activate()
    try await manager.ready()
    #expect(prices.count == 1)
    #expect(await session.token != nil)
  }

  @Test("Opened resources are closed")
  func stop() async throws {
    let manager = InitManager([OpenDatabase()])
    try await manager.launched()
    await manager.finish()
    #expect(manager.launchState.current == .complete)
  }
}
