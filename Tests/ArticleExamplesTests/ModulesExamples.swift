// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The article shows these declarations without comments.

public import AppInitializers
import Testing

// A Graph over Many Modules: each enumeration stands for a module.

public struct Database: Sendable {
  func migrate(_ tables: String) async throws {}
}

public enum Orders {
  public final class Migrate: AppInitializer, Sendable {
    public let priority = InitializerPriority.appLaunch
    private let database: Database
    init(_ database: Database) { self.database = database }

    public func run() async throws { try await database.migrate("orders") }
  }

  final class LoadOpenOrders: AppInitializer, Sendable {
    let priority = InitializerPriority.appActive
    let dependencies: [any AppInitializer.Type] = [Migrate.self]
    func run() async throws {}
  }

  public enum OrdersInitializers {
    public static func all(_ database: Database) -> [any AppInitializer & Sendable] {
      [Migrate(database), LoadOpenOrders()]
    }
  }
}

public enum Users {
  public final class Migrate: AppInitializer, Sendable {
    public let priority = InitializerPriority.appLaunch
    public func run() async throws {}
  }

  public enum UsersInitializers {
    public static func all() -> [any AppInitializer & Sendable] { [Migrate()] }
  }
}

public enum Billing {
  final class Invoices: AppInitializer, Sendable {
    let priority = InitializerPriority.appLaunch
    let dependencies: [any AppInitializer.Type] = [Orders.Migrate.self, Users.Migrate.self]
    func run() async throws {}
  }

  public enum BillingInitializers {
    public static func all() -> [any AppInitializer & Sendable] { [Invoices()] }
  }
}

typealias OrdersInitializers = Orders.OrdersInitializers
typealias UsersInitializers = Users.UsersInitializers
typealias BillingInitializers = Billing.BillingInitializers

func makeInitializers(_ database: Database) -> [any AppInitializer & Sendable] {
  OrdersInitializers.all(database) + UsersInitializers.all() + BillingInitializers.all()
}

func makeManager(_ database: Database) -> InitManager {
  InitManager(makeInitializers(database), concurrency: 4)
}

@Suite("Examples of the article on many modules")
struct ModulesExamples {
  @Test("The graph of the whole app has no faults")
  func wholeGraph() throws {
    let plan = try InitializationPlan(makeInitializers(Database()))
    #expect(plan.launch == ["Orders.Migrate", "Users.Migrate", "Invoices"])
    #expect(plan.active == ["LoadOpenOrders"])
  }

  @Test("It runs")
  func run() async throws {
    let manager = makeManager(Database())
    await manager.activate()
    try await manager.ready()
  }

  @Test("The error names a module that was forgotten")
  func forgotten() async {
    let initializers = OrdersInitializers.all(Database()) + BillingInitializers.all()
    let error = await InitManager(initializers, concurrency: 4).launchError()
    #expect(error == "cannot run Invoices: its dependency ArticleExamplesTests.Users.Migrate is not declared")
  }
}

extension InitManager {
  fileprivate func launchError() async -> String? {
    do {
      try await launched()
      return nil
    } catch { return "\(error)" }
  }
}
