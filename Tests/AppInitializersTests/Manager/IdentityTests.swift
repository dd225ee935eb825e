import Testing

@testable import AppInitializers

/// Stands for a module.
private enum Orders {
  final class Migrate: Scripted {}
}

private enum Users {
  final class Migrate: Scripted {}
}

private enum Shop {
  enum Orders { final class Seed: Plain {} }
  enum Users { final class Seed: Plain {} }
}

private enum Shelf {
  final class Load: Plain {}
}

private enum Room {
  enum Shelf { final class Load: Plain {} }
}

private class Plain: AppInitializer {
  var priority: InitializerPriority { .appLaunch }
  var dependencies: [any AppInitializer.Type] { [] }
  func run() async throws {}
}

private class Real: Plain {}
private final class Double: Real {}
private final class Dependent: Plain {
  override var dependencies: [any AppInitializer.Type] { [Real.self] }
}
private final class OwnDependent: Real {
  override var dependencies: [any AppInitializer.Type] { [Real.self] }
}
private final class Generic<Value>: Plain {}
private final class Größe: Plain {}

private final class Toggles: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  func run(_ context: RunContext) async throws -> Set<String> { ["real"] }
}

private final class Reader: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [Toggles.self]
  func run(_ context: RunContext) async throws -> Int { try context.output(of: Toggles.self).count }
}

@Suite("The meaning of a type, and the name of an object")
struct IdentityTests {
  private func plan(_ objects: [any AppInitializer]) throws -> [String] { try InitializationPlan(objects).launch }

  private func faults(_ objects: [any AppInitializer]) -> [AppInitializationError] {
    do { return try InitializationPlan(objects).launch.isEmpty ? [] : [] } catch { return error.faults }
  }

  @Test("Another type with the same name doesn't satisfy a dependency: the error names type and module (S5)")
  func namesake() async {
    let objects: [any AppInitializer] = [
      Scripted("Load", types: [Orders.Migrate.self]), Users.Migrate("Migrate"),
    ]
    let missing = AppInitializationError.missingDependency(
      initializer: "Load", dependency: "AppInitializersTests.Orders.Migrate")
    #expect(faults(objects) == [missing])
    let manager = InitManager([Scripted("Load", types: [Orders.Migrate.self]), Users.Migrate("Migrate")])
    #expect(await manager.launchState.settled() == .failed(error: missing))
  }

  @Test("An initializer whose name is the type's full name doesn't satisfy it either")
  func fullNamesake() {
    let objects: [any AppInitializer] = [
      Scripted("Load", types: [Orders.Migrate.self]), Scripted("AppInitializersTests.Orders.Migrate"),
    ]
    #expect(
      faults(objects) == [
        .missingDependency(initializer: "Load", dependency: "AppInitializersTests.Orders.Migrate (the type)")
      ])
  }

  @Test("Two types with the same name can coexist, and are shown with enough of their names to differ")
  func twoTypes() throws {
    #expect(try plan([Shop.Orders.Seed(), Shop.Users.Seed(), Real()]) == ["Orders.Seed", "Users.Seed", "Real"])
    #expect(try plan([Shop.Orders.Seed()]) == ["Seed"])
  }

  @Test("If an object declares the name of another type, that type gets its longer name")
  func ownName() throws {
    #expect(try plan([Scripted("Real"), Real()]) == ["Real", "AppInitializersTests.Real"])
  }

  @Test("A type gets its whole name if each shorter one is another type's, or the name that an object declares")
  func wholeName() throws {
    #expect(try plan([Shelf.Load(), Room.Shelf.Load()]) == ["AppInitializersTests.Shelf.Load", "Room.Shelf.Load"])
    #expect(
      try plan([Scripted("Orders.Seed"), Shop.Orders.Seed(), Shop.Users.Seed()])
        == ["Orders.Seed", "Shop.Orders.Seed", "Users.Seed"])
  }

  @Test("A dependency on one of two types with the same name means that type")
  func dependencyOnOne() throws {
    let objects: [any AppInitializer] = [
      Scripted("load", types: [Shop.Users.Seed.self]), Shop.Orders.Seed(), Shop.Users.Seed(),
    ]
    #expect(try plan(objects) == ["Users.Seed", "load", "Orders.Seed"])
  }

  @Test("Two objects of one type must have different names (S2)")
  func twoObjects() {
    #expect(faults([Real(), Real()]) == [.duplicateInitializer("Real")])
  }

  @Test("Private types with the same name are distinguished by a number")
  func localTypes() throws {
    func first() -> any AppInitializer {
      final class Local: Plain {}
      return Local()
    }
    func second() -> any AppInitializer {
      final class Local: Plain {}
      return Local()
    }
    let names = try plan([first(), second()])
    #expect(Set(names).count == 2)
    #expect(names.allSatisfy { $0.contains("Local") && !$0.contains("unknown") })
  }

  @Test("A subclass satisfies a dependency on its superclass only if that isn't registered")
  func subclass() throws {
    #expect(try plan([Dependent(), Double()]) == ["Double", "Dependent"])
    #expect(try plan([Dependent(), Double(), Real()]) == ["Real", "Dependent", "Double"])
  }

  @Test("A subclass that depends on its superclass doesn't depend on itself")
  func superclass() throws {
    #expect(try plan([OwnDependent(), Double()]) == ["Double", "OwnDependent"])
    #expect(
      faults([OwnDependent()]) == [
        .missingDependency(initializer: "OwnDependent", dependency: "AppInitializersTests.Real")
      ])
  }

  @Test("A stand-in replaces a type: it has its name and its output")
  func standIn() async throws {
    let manager = InitManager([Reader(), StandIn(for: Toggles.self) { _ in ["a", "b"] }])
    try await manager.launched()
    #expect(await manager.output(of: Reader.self) == 2)
    #expect(await manager.output(of: Toggles.self) == ["a", "b"])
    #expect(try plan([Dependent(), StandIn(for: Real.self)]) == ["Real", "Dependent"])
  }

  @Test("An error of a stand-in fails the pass")
  func failingStandIn() async {
    let manager = InitManager([StandIn(for: Real.self) { _ in throw Broken(number: 3) }])
    #expect(
      await manager.launchState.settled()
        == .failed(error: .initializerFailed(initializer: "Real", underlyingError: Broken(number: 3))))
  }

  @Test("A manager accepts names that the protocol doesn't allow")
  func names() async throws {
    #expect(try plan([Generic<Int>(), Generic<String>(), Größe()]) == ["Generic<Int>", "Generic<String>", "Größe"])
    let manager = InitManager([Generic<Int>(), Größe()])
    try await manager.launched()
  }
}
