import AppInitializers
import Synchronization
import Testing

// Testing Your Graph

private struct Offline: Error {}
private func readFromNetwork() async throws -> [String] { throw Offline() }

struct Splash {
  let state: ObservableState
  var isShown: Bool { state.current == .pending }
}

final class ReadShelves: ContextualInitializer {
  let priority = InitializerPriority.appLaunch

  func run(_ context: RunContext) async throws -> [String] { try await readFromNetwork() }
}

class CountShelves: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [ReadShelves.self]

  func run(_ context: RunContext) async throws -> Int {
    await context.report(fraction: 0.5, message: "counting")
    return try context.output(of: ReadShelves.self).count
  }
}

final class CountNothing: CountShelves {
  override func run(_ context: RunContext) async throws -> Int { 0 }
}

final class TestClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Swift.Duration.zero
    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant()
    var sleepers: [(deadline: Instant, continuation: AsyncStream<Void>.Continuation)] = []
  }

  private let state = Mutex(State())
  let minimumResolution = Duration.zero
  var now: Instant { state.withLock { $0.now } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (wakeUp, continuation) = AsyncStream.makeStream(of: Void.self)
    state.withLock { state in
      if deadline <= state.now { continuation.finish() } else { state.sleepers.append((deadline, continuation)) }
    }
    for await _ in wakeUp {}
    try Task.checkCancellation()
  }

  func advance(by duration: Duration) {
    state.withLock { state in
      state.now = state.now.advanced(by: duration)
      for sleeper in state.sleepers where sleeper.deadline <= state.now { sleeper.continuation.finish() }
      state.sleepers.removeAll { $0.deadline <= state.now }
    }
  }
}

@Suite("Examples of the article on testing")
struct TestingExamples {
  @Test("The shelves are read before they are counted")
  func order() throws {
    let plan = try InitializationPlan([CountShelves(), ReadShelves()])
    #expect(plan.launch == ["ReadShelves", "CountShelves"])
  }

  @Test("Without the initializer that reads the shelves, the plan reports it as missing")
  func missing() {
    #expect(throws: InitializationFaults.self) { try InitializationPlan([CountShelves()]) }
  }

  @Test("The shelves are counted")
  func count() async throws {
    let context = RunContext(initializer: "CountShelves").providing(["fiction", "poetry"], of: ReadShelves.self)
    #expect(try await CountShelves().run(context) == 2)
  }

  @Test("The count is that of the shelves that were read")
  func standIn() async throws {
    let manager = InitManager([CountShelves(), StandIn(for: ReadShelves.self) { _ in ["fiction"] }])
    try await manager.launched()
    #expect(await manager.output(of: CountShelves.self) == 1)
  }

  @Test("If the shelves can't be read, launch fails")
  func failure() async {
    struct Unreachable: Error {}
    let manager = InitManager([CountShelves(), StandIn(for: ReadShelves.self) { _ in throw Unreachable() }])
    await #expect(throws: AppInitializationError.self) { try await manager.launched() }
    #expect(manager.state.current.error?.initializer == "ReadShelves")
  }

  final class Unreliable: AppInitializer, Sendable {
    let priority = InitializerPriority.appLaunch
    let retry = RetryPolicy(attempts: 3, delay: .seconds(10))
    let attempts = Atomic(0)

    func run() async throws {
      struct Unreachable: Error {}
      if attempts.add(1, ordering: .relaxed).newValue < 3 { throw Unreachable() }
    }
  }

  @Test("Two attempts fail, and the third completes after two delays")
  func retries() async throws {
    let clock = TestClock()
    let unreliable = Unreliable()
    let manager = InitManager([unreliable], concurrency: 1, clock: clock)
    while manager.launchState.current == .pending {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    try await manager.launched()
    #expect(unreliable.attempts.load(ordering: .relaxed) == 3)
    #expect(clock.now.offset >= .seconds(10 + 20))
  }

  final class Endless: AppInitializer, Sendable {
    let priority = InitializerPriority.appLaunch
    let timeout: Duration? = .seconds(30)

    func run() async throws { try await Task.sleep(for: .seconds(3600)) }
  }

  @Test("A run that never ends times out")
  func timeout() async {
    let clock = TestClock()
    let manager = InitManager([Endless()], concurrency: 1, clock: clock)
    while manager.launchState.current == .pending {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(manager.launchState.current.error?.description == "Endless failed: timed out after 30 s")
  }

  @Test("The splash screen disappears when everything is complete")
  func splash() {
    let source = ObservableState.Source(.pending)
    let screen = Splash(state: source.state)
    #expect(screen.isShown)
    source.send(.complete)
    #expect(!screen.isShown)
  }

  @Test("A subclass in a type's place")
  func subclass() async throws {
    let manager = InitManager([CountNothing(), StandIn(for: ReadShelves.self) { _ in ["fiction"] }])
    try await manager.launched()
    #expect(await manager.output(of: CountShelves.self) == 0)
  }
}
