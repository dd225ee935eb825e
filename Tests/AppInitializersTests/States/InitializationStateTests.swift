import InitCore
import InitWords
import Testing

@testable import AppInitializers

@Suite("InitializationState and AppInitializationError")
struct InitializationStateTests {
  private func failed(_ name: String, _ error: any Error) -> AppInitializationError {
    .initializerFailed(initializer: name, underlyingError: error)
  }

  @Test(
    "Every error names its initializer (S2)",
    arguments: [
      (AppInitializationError.circularDependency(["a", "b", "a"]), "a"),
      (.missingDependency(initializer: "b", dependency: "x"), "b"),
      (.duplicateInitializer("c"), "c"),
      (.initializerFailed(initializer: "d", underlyingError: Broken(number: 1)), "d"),
    ])
  func initializer(error: AppInitializationError, name: String) {
    #expect(error.initializer == name)
    #expect(error.description.contains(name))
  }

  @Test("Two failures are equal only if their errors are (S1)")
  func equality() {
    #expect(failed("a", Broken(number: 1)) == failed("a", Broken(number: 1)))
    #expect(failed("a", Broken(number: 1)) != failed("a", Broken(number: 2)))
    #expect(failed("a", Broken(number: 1)) != failed("b", Broken(number: 1)))
    #expect(failed("a", Cause.exit(status: 1)) != failed("a", Cause.exit(status: 2)))
    #expect(AppInitializationError.circularDependency(["a", "a"]) != .circularDependency(["a", "b", "a"]))
    #expect(AppInitializationError.duplicateInitializer("a") != failed("a", Broken(number: 1)))
    #expect(
      AppInitializationError.missingDependency(initializer: "a", dependency: "x")
        != .missingDependency(initializer: "a", dependency: "y"))
    #expect(InitializationState.failed(error: .duplicateInitializer("a")) != .pending)
    #expect(InitializationState.pending != .complete)
  }

  @Test("The machine's states and the program's correspond one to one")
  func roundTrip() {
    let failures: [Failure] = [
      .circularDependency(["a", "b", "a"]), .missingDependency(initializer: "a", dependency: "b"),
      .duplicateInitializer("a"), .initializerFailed("a", .signal("SIGKILL")),
    ]
    for failure in failures { #expect(AppInitializationError(failure, thrown: nil).failure == failure) }
  }

  @Test("The state has the thrown error itself, but only if it belongs to the failure")
  func thrown() {
    let failure = Failure.initializerFailed("a", .error(message: "\(Broken(number: 1))"))
    let same = AppInitializationError(failure, thrown: Broken(number: 1))
    let other = AppInitializationError(failure, thrown: Broken(number: 2))
    guard case .initializerFailed("a", let carried) = same, case .initializerFailed("a", let cause) = other else {
      Issue.record("\(same), \(other)")
      return
    }
    #expect(carried as? Broken == Broken(number: 1))
    #expect(cause as? InitializerFailure == .reported(message: "\(Broken(number: 1))"))
  }
}
