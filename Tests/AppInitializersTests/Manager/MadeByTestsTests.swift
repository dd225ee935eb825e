import AppInitializers
import Synchronization
import Testing

// Without @testable, because a program's own tests use the same interface.

private final class Toggles: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  func run(_ context: RunContext) async throws -> Set<String> { ["favorites"] }
}

private final class Favorites: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [Toggles.self]

  func run(_ context: RunContext) async throws -> Int {
    await context.report(fraction: 0.5, message: "half", extend: .seconds(3))
    for fraction in [50, -1, .nan] { await context.report(fraction: fraction) }
    if context.cancellation == .timeout { throw CancellationError() }
    return try context.output(of: Toggles.self).count + context.output(of: "shelves", as: Int.self) + context.attempt
  }
}

@Suite("Objects that tests create")
struct MadeByTestsTests {
  @Test("A context with outputs of dependencies runs one initializer alone, and records its reports")
  func context() async throws {
    let reports = Mutex<[RunReport]>([])
    let context = RunContext(initializer: "Favorites", attempt: 2) { report in reports.withLock { $0.append(report) } }
      .providing(["a", "b"], of: Toggles.self).providing(10, of: "shelves")
    #expect(try await Favorites().run(context) == 14)
    let half = RunReport(fraction: 0.5, message: "half", extend: .seconds(3))
    #expect(reports.withLock { $0 } == [half, RunReport(fraction: 1), RunReport(fraction: 0), RunReport()])
    #expect((context.initializer, context.phase, context.timeout) == ("Favorites", .appLaunch, nil))
  }

  @Test("All outputs of one type by name, and the fencing token")
  func outputs() throws {
    let context = RunContext(initializer: "Favorites", fence: 9).providing(1, of: "a").providing(2, of: "b")
    #expect(try context.outputs(as: Int.self) == ["a": 1, "b": 2])
    #expect(context.fence == 9)
    #expect(throws: MissingOutput.self) { try context.outputs(as: String.self) }
    #expect(try RunContext(initializer: "Favorites").outputs(as: Int.self).isEmpty)
  }

  @Test("Outputs that aren't given are missing, as in a manager; a cancellation can be given")
  func missing() async {
    await #expect(throws: MissingOutput.self) { try await Favorites().run(RunContext(initializer: "Favorites")) }
    let cancelled = RunContext(initializer: "Favorites", timeout: .seconds(1), cancellation: .timeout)
    await #expect(throws: CancellationError.self) { try await Favorites().run(cancelled) }
  }

  @Test("Runs and passes, for a delegate")
  func events() {
    let pass = InitializationPass(number: 2, phase: .appActive)
    let run = InitializerRun(initializer: "Favorites", number: 7, pass: pass)
    #expect((run.pass.number, run.attempt, run.number) == (2, 1, 7))
  }

  @Test("A state that a test can change for its observers, and a constant one")
  func state() async {
    let source = ObservableState.Source()
    let state = source.state
    #expect(state.current == .pending)
    let seen = Task {
      var seen: [InitializationState] = []
      for await value in state.values { seen.append(value) }
      return seen
    }
    source.send(.complete)
    #expect(state.current == .complete)
    source.finish()
    #expect(await seen.value.last == .complete)
    #expect(ObservableState(.complete).current == .complete)
  }
}
