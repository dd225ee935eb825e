import Dispatch
import InitWords
import Testing

@testable import AppInitializers
@testable import InitCore

/// A provider for tests that replaces a supervisor's commands and workers.
private final class ScriptedProvider: InitializerProvider {
  let forced = Journal<RunID>()
  private let body: @Sendable (RunContext) async throws -> Void

  init(_ body: @escaping @Sendable (RunContext) async throws -> Void) { self.body = body }

  func run(_ context: RunContext) async throws { try await body(context) }
  func forceStop(run: RunID) { forced.note(run) }
}

@Suite("InitManager: time, progress and providers")
struct InitManagerTimeTests {
  private let alarm = ManualAlarm()

  private func manager(_ declaration: Declaration, _ provider: ScriptedProvider) async -> InitManager {
    let manager = InitManager(testing: [], others: [(declaration, .command, provider)], alarm: alarm)
    await manager.start()
    return manager
  }

  @Test("A run that exceeds its timeout is cancelled, and has failed regardless of its result (S15)")
  func timeout() async {
    let gate = Gate()
    let provider = ScriptedProvider { _ in try? await gate.enterOrStop() }
    let manager = await manager(Declaration("slow", timeout: .seconds(30)), provider)
    await gate.arrived()
    #expect(alarm.deadline == .seconds(30))
    alarm.advance(by: .seconds(30))
    #expect(
      await manager.launchState.settled()
        == .failed(
          error: .initializerFailed(initializer: "slow", underlyingError: Cause.timeout(after: .seconds(30)))))
    // The alarm is set at the end of the step that published the state.
    #expect(await manager.status(of: "slow") == .failed)
    #expect(alarm.deadline == nil)
  }

  @Test("A run that doesn't stop within the grace period is force-stopped, once (S13)")
  func grace() async {
    let gate = Gate()
    let provider = ScriptedProvider { _ in await gate.enter() }
    let manager = await manager(Declaration("slow", timeout: .seconds(1)), provider)
    await gate.arrived()
    alarm.advance(by: .seconds(1))
    await manager.ring()
    #expect(alarm.deadline == .seconds(6))
    #expect(provider.forced.entries.isEmpty)
    alarm.advance(by: .seconds(5))
    await manager.ring()
    await manager.ring()
    #expect(provider.forced.entries == [1])
    gate.open()
    #expect(await manager.launchState.settled() != .complete)
  }

  @Test("A progress report extends the deadline and is published; one after the end has no effect (S15, S17)")
  func progress() async {
    let gate = Gate()
    let contexts = Journal<RunContext>()
    // A context holds its manager, which holds the provider.
    let provider = ScriptedProvider { [weak contexts] context in
      contexts?.note(context)
      await context.report(fraction: 0.5, message: "half", extend: .seconds(60))
      await context.report(fraction: 0.25)
      await gate.enter()
    }
    let manager = await manager(Declaration("long", timeout: .seconds(30)), provider)
    await gate.arrived()
    #expect(alarm.deadline == .seconds(60))
    #expect(await manager.snapshots[0].run?.progress == RunProgress(fraction: 0.5, message: "half"))
    gate.open()
    #expect(await manager.launchState.settled() == .complete)
    let context = contexts.entries[0]
    await context.report(message: "late")
    #expect(await manager.snapshots[0].run?.progress?.message == "half")
    #expect((context.initializer, context.runNumber, context.passNumber, context.attempt) == ("long", 1, 1, 1))
    #expect((context.phase, context.timeout) == (.appLaunch, .seconds(30)))
  }

  @Test("A failed run is retried when its delay is over, in its place (S16)")
  func retry() async {
    let attempts = Journal<Int>()
    let provider = ScriptedProvider { context in
      attempts.note(context.attempt)
      if context.attempt < 3 { throw Cause.exit(status: 3) }
    }
    let policy = InitCore.RetryPolicy(attempts: 3, delay: .seconds(1), factor: 2, maxDelay: .seconds(30))
    let manager = await manager(Declaration("flaky", retry: policy), provider)
    for attempt in 1...2 {
      await manager.delayed(after: attempt)
      let deadline = alarm.deadline
      alarm.advance(by: (deadline ?? .zero) - alarm.now)
    }
    #expect(await manager.launchState.settled() == .complete)
    #expect(attempts.entries == [1, 2, 3])
    #expect(alarm.now > .seconds(1))
  }

  @Test("A provider's error is the cause, unchanged (S2)")
  func cause() async {
    let manager = await manager(Declaration("bad"), ScriptedProvider { _ in throw Cause.signal("SIGKILL") })
    let state = await manager.launchState.settled()
    #expect(
      state == .failed(error: .initializerFailed(initializer: "bad", underlyingError: Cause.signal("SIGKILL"))))
  }

  @Test("The manager runs on the given executor, and initializers run elsewhere")
  func executorGiven() async {
    let executor = QueueExecutor()
    let places = Journal<Bool>()
    let manager = InitManager(testing: [Scripted("a") { places.note(executor.isCurrent) }], executor: executor)
    await manager.observe { _, _ in places.note(executor.isCurrent) }
    await manager.start()
    #expect(await manager.launchState.settled() == .complete)
    await manager.observe { _, _ in }
    #expect(places.entries.count { !$0 } == 1)
    #expect(places.entries.count { $0 } > 3)
  }

  @Test("A manager on the main actor calls its delegate there")
  @MainActor
  func mainActor() async {
    final class Delegate: AppInitializerEventsDelegate, Sendable {
      func passDidStart(_ pass: InitializationPass) { MainActor.preconditionIsolated() }
    }
    let delegate = Delegate()
    let manager = InitManager([Scripted("a")], eventsDelegate: delegate, on: MainActor.shared)
    #expect(await manager.launchState.settled() == .complete)
  }

  @Test("Without an actor a manager launches while the main actor is busy")
  @MainActor
  func busyMainActor() async {
    let ran = DispatchSemaphore(value: 0)
    let manager = InitManager([Scripted("a") { ran.signal() }])
    func block() -> DispatchTimeoutResult { ran.wait(timeout: .now() + 60) }
    #expect(block() == .success)
    #expect(await manager.launchState.settled() == .complete)
  }

  @Test("An event within an effect is reported after the notices of the event that caused the effect")
  func nestedEvents() async {
    let told = Told()
    let manager = InitManager(testing: [Scripted("a")])
    await manager.observe { [weak manager] notice, now in
      if case .pass(1, .launch, .started) = notice { manager?.assumeIsolated { _ = $0.activate() } }
      told.note(notice, now)
    }
    await manager.start()
    #expect(await manager.state.settled() == .complete)
    #expect(
      told.words == [
        "launch 1 started", "active 2 started", "state pending pending active", "launch 1 complete",
        "active 2 complete", "state complete complete active",
      ])
  }
}

extension InitManager {
  /// Waits until the attempt has failed and its delay runs.
  fileprivate func delayed(after attempt: Int) async {
    while true {
      let snapshot = machine.initializers[0]
      if snapshot.run?.attempt == attempt, snapshot.run?.duration != nil { return }
      await Task.yield()
    }
  }
}
