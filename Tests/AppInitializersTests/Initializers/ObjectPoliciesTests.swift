import InitCore
import InitWords
import Testing

@testable import AppInitializers

/// An initializer with policies of its own.
private final class Governed: AppInitializer, Sendable {
  let name: String
  let priority = InitializerPriority.appLaunch
  let dependencyNames: [String]
  let timeout: Duration?
  let retry: AppInitializers.RetryPolicy
  let isOptional: Bool
  private let body: @Sendable () async throws -> Void

  init(
    _ name: String = "governed", after dependencyNames: [String] = [], timeout: Duration? = nil,
    retry: AppInitializers.RetryPolicy = .never, isOptional: Bool = false,
    body: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.name = name
    self.dependencyNames = dependencyNames
    self.timeout = timeout
    self.retry = retry
    self.isOptional = isOptional
    self.body = body
  }

  func run() async throws { try await body() }
}

@Suite("Objects: timeout, retry, optional")
struct ObjectPoliciesTests {
  private let clock = ManualClock()

  @Test("The given clock measures a timeout: the run is cancelled and has failed (S15)")
  func timeout() async {
    let gate = Gate()
    let manager = InitManager(
      [Governed(timeout: .seconds(30)) { try await gate.enterOrStop() }], clock: clock)
    await gate.arrived()
    await clock.hasSleeper()
    clock.advance(by: .seconds(30))
    let state = await manager.launchState.settled()
    guard case .initializerFailed("governed", let error) = state?.error else {
      Issue.record("the state is \(String(describing: state))")
      return
    }
    #expect(error as? InitializerFailure == .timeout(after: .seconds(30)))
    #expect("\(error)" == "timed out after 30 s")
  }

  @Test("A run that outlives its timeout keeps its place until it returns (S13, S15)")
  func stubborn() async {
    let gate = Gate()
    let journal = Journal<String>()
    let objects = [
      Governed("slow", timeout: .seconds(1), isOptional: true) { await gate.enter() },
      Governed("next") { journal.note("next") },
    ]
    let manager = InitManager(objects, concurrency: 1, clock: clock)
    await gate.arrived()
    await clock.hasSleeper()
    clock.advance(by: .seconds(1))
    while await manager.status(of: "slow") == .running { await Task.yield() }
    #expect(await manager.status(of: "slow") == .stopping)
    #expect(journal.entries == [])
    gate.open()
    #expect(await manager.launchState.settled() == .complete)
    #expect(journal.entries == ["next"])
  }

  @Test("A failed run is retried after the delay (S16), and the last error fails the pass")
  func retry() async throws {
    let journal = Journal<Int>()
    let policy = AppInitializers.RetryPolicy(attempts: 3, delay: .seconds(10), factor: 2, maxDelay: .seconds(60))
    let manager = InitManager(
      [
        Governed(retry: policy) {
          journal.note(journal.entries.count + 1)
          throw Broken(number: journal.entries.count)
        }
      ], clock: clock)
    // The jitter adds up to a tenth to each delay.
    for delay in [11, 22] {
      await clock.hasSleeper()
      clock.advance(by: .seconds(delay))
    }
    let error = AppInitializationError.initializerFailed(initializer: "governed", underlyingError: Broken(number: 3))
    await #expect(throws: error) { try await manager.launched() }
    #expect(journal.entries == [1, 2, 3])
  }

  @Test("A failed optional initializer doesn't stop the pass; its dependents don't run (S8)")
  func optional() async throws {
    let manager = InitManager([
      Governed("metrics", isOptional: true) { throw Broken(number: 1) },
      Governed("graphs", after: ["metrics"], isOptional: true),
      Governed("shop"),
    ])
    try await manager.launched()
    #expect(await manager.status(of: "metrics") == .failed)
    #expect(await manager.status(of: "graphs") == .notRun)
    let strict = InitManager([
      Governed("metrics", isOptional: true) { throw Broken(number: 1) }, Governed("graphs", after: ["metrics"]),
    ])
    #expect(await strict.launchState.settled()?.error?.initializer == "metrics")
  }

  @Test("A context knows its timeout and attempt")
  func context() async throws {
    let asking = Asking()
    let manager = InitManager([asking])
    try await manager.launched()
    #expect(await manager.output(of: Asking.self) == "1 of Optional(5.0 seconds)")
  }
}

private final class Asking: ContextualInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  let timeout: Duration? = .seconds(5)
  func run(_ context: RunContext) async throws -> String {
    "\(context.attempt) of \(String(describing: context.timeout))"
  }
}
