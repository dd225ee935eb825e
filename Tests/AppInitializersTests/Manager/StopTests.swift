import InitCore
import Testing

@testable import AppInitializers

/// Records when it is stopped.
private final class Stoppable: Scripted {
  private let onStop: @Sendable () async -> Void

  init(
    _ name: String, _ priority: InitializerPriority = .appLaunch, after dependencyNames: [String] = [],
    body: @escaping @Sendable () async throws -> Void = {}, onStop: @escaping @Sendable () async -> Void
  ) {
    self.onStop = onStop
    super.init(name, priority, after: dependencyNames, body: body)
  }

  override func stop() async { await onStop() }
}

@Suite("InitManager: stop")
struct StopTests {
  private let journal = Journal<String>()

  private func stoppable(
    _ name: String, _ priority: InitializerPriority = .appLaunch, after dependencyNames: [String] = [],
    body: @escaping @Sendable () async throws -> Void = {}
  ) -> Stoppable {
    Stoppable(name, priority, after: dependencyNames, body: body) { [journal] in journal.note(name) }
  }

  @Test("finish() stops completed initializers once, in the reverse order of completion (S24)")
  func order() async throws {
    let manager = InitManager([
      stoppable("c", after: ["b"]), stoppable("b", after: ["a"]), stoppable("a"), stoppable("z", .appActive),
      Scripted("plain"),
    ])
    await manager.activate()
    try await manager.ready()
    await manager.finish()
    await manager.finish()
    #expect(journal.entries == ["z", "c", "b", "a"])
  }

  @Test("Initializers that failed or never ran aren't stopped; those that completed before the failure are")
  func failed() async {
    let manager = InitManager([
      stoppable("a"), stoppable("b", after: ["a"], body: { throw Broken(number: 1) }), stoppable("c", after: ["b"]),
    ])
    _ = await manager.launchState.settled()
    await manager.finish()
    #expect(journal.entries == ["a"])
  }

  @Test("Stopping begins only when all runs have stopped")
  func afterRuns() async throws {
    let gate = Gate()
    let manager = InitManager([
      stoppable("a"),
      stoppable("z", .appActive) { [journal] in
        try? await gate.enterOrStop()
        journal.note("z has stopped running")
      },
    ])
    await manager.activate()
    await gate.arrived()
    await manager.finish()
    #expect(journal.entries == ["z has stopped running", "a"])
  }

  @Test("A stop() that exceeds its timeout is cancelled, and the others are still stopped (S24)")
  func slow() async throws {
    let gate = Gate()
    let clock = ManualClock()
    let manager = InitManager(
      [
        stoppable("a"),
        Stoppable("b", after: ["a"]) { [journal] in
          do { try await gate.enterOrStop() } catch { journal.note("b cancelled") }
        },
      ], clock: clock)
    try await manager.launched()
    async let finished: Void = manager.finish()
    await gate.arrived()
    await clock.hasSleeper()
    clock.advance(by: .seconds(10))
    await finished
    #expect(journal.entries == ["b cancelled", "a"])
  }

  @Test("A stop() that doesn't return doesn't delay finish(); if the objects aren't Sendable, the others wait for it")
  func stuck() async throws {
    let gate = Gate()
    let clock = ManualClock()
    let manager = InitManager(
      [
        stoppable("a"),
        Stoppable("b", after: ["a"]) { [journal] in
          await gate.enter()
          journal.note("b at last")
        },
      ], clock: clock)
    try await manager.launched()
    async let finished: Void = manager.finish()
    await gate.arrived()
    for _ in 0..<2 {
      await clock.hasSleeper()
      clock.advance(by: .seconds(10))
    }
    await finished
    #expect(journal.entries == [])
    gate.open()
    await manager.end.overdueStop?.value
    #expect(journal.entries == ["b at last", "a"])
  }

  @Test("If the objects are Sendable, the next one is stopped even if a stop() doesn't return")
  func stuckAmongSendable() async throws {
    let gate = Gate()
    let alarm = ManualAlarm()
    let manager = InitManager(
      testing: [stoppable("a"), Stoppable("b", after: ["a"]) { await gate.enter() }], .init(concurrency: 2),
      alarm: alarm)
    await manager.start()
    try await manager.launched()
    async let finished: Void = manager.finish()
    await gate.arrived()
    for _ in 0..<2 {
      alarm.advance(by: .seconds(10))
      await manager.ring()
    }
    await finished
    #expect(journal.entries == ["a"])
    gate.open()
  }

  @Test("After a retried launch, the order of stopping follows the last completions")
  func again() async throws {
    let manager = InitManager([stoppable("y", .appActive), stoppable("a", after: ["y"])])
    try await manager.launched()
    await manager.activate()
    try await manager.ready()
    await manager.finish()
    #expect(journal.entries == ["y", "a"])
  }
}
