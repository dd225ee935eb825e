import AppInitializers
import Testing

private final class Step: AppInitializer {
  let name: String
  let priority: InitializerPriority
  let dependencyNames: [String]

  init(_ name: String, _ priority: InitializerPriority = .appLaunch, after dependencyNames: [String] = []) {
    self.name = name
    self.priority = priority
    self.dependencyNames = dependencyNames
  }

  func run() async throws {}
}

private final class Absent: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

private final class Needy: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [Absent.self]
  func run() async throws {}
}

@Suite("InitializationPlan")
struct InitializationPlanTests {
  @Test("It lists the initializers of each phase, in order (S3, S4, S6)")
  func order() throws {
    let plan = try InitializationPlan([
      Step("c", after: ["b", "y"]), Step("z", .appActive, after: ["y", "a"]), Step("a"), Step("b", after: ["a"]),
      Step("y", .appActive),
    ])
    #expect(plan.launch == ["a", "b", "y", "c"])
    #expect(plan.active == ["y", "z"])
    #expect(try InitializationPlan([]).launch == [])
  }

  @Test("It throws all faults at once: duplicates, all missing dependencies, and each cycle")
  func faults() {
    let objects: [any AppInitializer] = [
      Step("a", after: ["b"]), Step("b", after: ["c", "missing"]), Step("c", after: ["a", "b"]),
      Step("twice"), Step("twice"), Step("x", .appActive, after: ["missing"]), Needy(),
      Step("y", .appActive, after: ["y"]),
    ]
    let expected: [AppInitializationError] = [
      .circularDependency(["a", "b", "c", "a"]), .circularDependency(["b", "c", "b"]),
      .missingDependency(initializer: "b", dependency: "missing"), .duplicateInitializer("twice"),
      .missingDependency(initializer: "x", dependency: "missing"),
      .missingDependency(initializer: "Needy", dependency: "AppInitializersTests.Absent"),
      .circularDependency(["y", "y"]),
    ]
    #expect(throws: InitializationFaults(faults: expected)) { try InitializationPlan(objects) }
    #expect("\(InitializationFaults(faults: expected))".split(separator: "\n").count == 7)
  }

  @Test("A plan accepts dependencies on commands and workers by name")
  func others() throws {
    #expect(try InitializationPlan([Step("a", after: ["migrate"])], others: ["migrate"]).launch == ["a"])
  }

  @Test("A manager of the same objects fails with the first of the faults")
  func manager() async {
    let manager = InitManager([Step("a", after: ["b"]), Step("b", after: ["a"]), Needy()])
    #expect(throws: InitializationFaults.self) {
      try InitializationPlan([Step("a", after: ["b"]), Step("b", after: ["a"]), Needy()])
    }
    let error = AppInitializationError.circularDependency(["a", "b", "a"])
    await #expect(throws: error) { try await manager.launched() }
  }
}
