import InitCore
import InitWords
import Testing

@testable import AppInitializers

/// A delegate that records its events.
private final class Chronicle: AppInitializerEventsDelegate {
  let journal = Journal<String>()

  func initializerDidStart(_ run: InitializerRun) { journal.note("start \(words(run))") }
  func initializerDidReport(fraction: Double?, message: String?, of run: InitializerRun) {
    journal.note("report \(words(run)) \(fraction.map { "\($0)" } ?? "-") \(message ?? "-")")
  }
  func initializerDidComplete(_ run: InitializerRun, after duration: Duration) {
    journal.note("complete \(words(run)) \(duration)")
  }
  func initializerDidFail(_ run: InitializerRun, with error: AppInitializationError, after duration: Duration) {
    journal.note("fail \(words(run)) \(error)")
  }
  func initializerDidCancel(_ run: InitializerRun, after duration: Duration) { journal.note("cancel \(words(run))") }
  func initializerWasNotRun(_ initializer: String, blockedBy blocker: String, with error: AppInitializationError) {
    journal.note("not run \(initializer): \(blocker): \(error)")
  }
  func passDidStart(_ pass: InitializationPass) { journal.note("pass \(pass.number) \(pass.phase) started") }
  func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome) {
    switch outcome {
    case .complete: journal.note("pass \(pass.number) complete")
    case .cancelled: journal.note("pass \(pass.number) cancelled")
    case .failed(let error): journal.note("pass \(pass.number) failed: \(error)")
    }
  }

  private func words(_ run: InitializerRun) -> String {
    "\(run.initializer)#\(run.number).\(run.attempt) in \(run.pass.number)"
  }
}

/// Implements no method.
private final class Deaf: AppInitializerEventsDelegate {}

@Suite("AppInitializerEventsDelegate")
struct AppInitializerEventsDelegateTests {
  private let chronicle = Chronicle()

  private func manager(
    _ objects: sending [any AppInitializer], others: [(Declaration, ProviderKind, (any InitializerProvider)?)] = [],
    alarm: ManualAlarm = ManualAlarm()
  ) async -> InitManager {
    let manager = InitManager(testing: objects, others: others, alarm: alarm)
    await manager.tell(chronicle)
    return manager
  }

  @Test("Starts, ends and passes are reported in order, each once")
  func order() async {
    let manager = await manager([
      Scripted("a"), Scripted("b", .appActive, after: ["a"]),
    ])
    await manager.start()
    await manager.activate()
    #expect(await manager.state.reached(.complete))
    #expect(
      chronicle.journal.entries == [
        "pass 1 appLaunch started", "start a#1.1 in 1", "pass 2 appActive started", "complete a#1.1 in 1 0.0 seconds",
        "pass 1 complete", "start b#2.1 in 2", "complete b#2.1 in 2 0.0 seconds", "pass 2 complete",
      ])
  }

  @Test(
    "A failure is reported with its error; an initializer that never ran is reported with the one that failed (S2, S8)")
  func failure() async {
    let manager = await manager([
      Scripted("a") { throw Broken(number: 7) }, Scripted("b", after: ["a"]),
    ])
    await manager.start()
    _ = await manager.launchState.settled()
    let error = AppInitializationError.initializerFailed(initializer: "a", underlyingError: Broken(number: 7))
    #expect(
      chronicle.journal.entries == [
        "pass 1 appLaunch started", "start a#1.1 in 1", "fail a#1.1 in 1 \(error)", "not run b: a: \(error)",
        "pass 1 failed: \(error)",
      ])
  }

  @Test(
    "A cancelled run is reported as cancelled when it has stopped; its pass is reported once, as cancelled (S11, S12)")
  func cancellation() async {
    let gate = Gate()
    let manager = await manager([Scripted("a", .appActive) { try await gate.enterOrStop() }])
    await manager.start()
    await manager.activate()
    await gate.arrived()
    await manager.deactivate()
    await manager.deactivate()
    await manager.quiet()
    #expect(
      chronicle.journal.entries.suffix(4) == [
        "pass 2 appActive started", "start a#1.1 in 2", "cancel a#1.1 in 2", "pass 2 cancelled",
      ])
  }

  @Test(
    "Each attempt has its own start and end (S16), and each progress report is delivered, even a repeated one (S17)"
  )
  func attemptsAndReports() async {
    let alarm = ManualAlarm()
    let provider = Reporting()
    let declaration = Declaration("a", retry: InitCore.RetryPolicy(attempts: 2, delay: .seconds(1)))
    let manager = await manager([], others: [(declaration, .inProcess, provider)], alarm: alarm)
    await manager.start()
    await manager.waited(for: alarm)
    alarm.advance(by: .seconds(60))
    await manager.ring()
    #expect(await manager.launchState.reached(.complete))
    let failure = AppInitializationError.initializerFailed(initializer: "a", underlyingError: Broken(number: 1))
    #expect(
      chronicle.journal.entries == [
        "pass 1 appLaunch started", "start a#1.1 in 1", "report a#1.1 in 1 0.5 half", "report a#1.1 in 1 0.5 half",
        "fail a#1.1 in 1 \(failure)", "start a#2.2 in 1", "complete a#2.2 in 1 0.0 seconds", "pass 1 complete",
      ])
  }

  @Test("All methods have defaults, and a manager doesn't keep its delegate alive")
  func defaults() async {
    var deaf: Deaf? = Deaf()
    weak let held = deaf
    let manager = InitManager([Scripted("a")], eventsDelegate: deaf)
    #expect(await manager.launchState.reached(.complete))
    deaf = nil
    #expect(held == nil)
    await manager.activate()
    #expect(await manager.state.reached(.complete))
  }

  @Test("The states that a delegate reads during an event agree with the event (S1)")
  func statesFirst() async {
    let manager = InitManager(testing: [Scripted("a")])
    let reader = Reader(manager)
    await manager.tell(reader)
    await manager.start()
    #expect(await manager.launchState.reached(.complete))
    #expect(reader.journal.entries == [.pending])
  }
}

/// A provider whose first attempt fails after it has reported the same progress twice.
private final class Reporting: InitializerProvider {
  func run(_ context: RunContext) async throws {
    guard context.attempt == 1 else { return }
    for _ in 0..<2 { await context.report(fraction: 0.5, message: "half") }
    throw Broken(number: 1)
  }
}

/// Reads the state when a pass starts.
private final class Reader: AppInitializerEventsDelegate {
  let journal = Journal<InitializationState>()
  private let state: ObservableState

  init(_ manager: InitManager) { state = manager.launchState }

  func passDidStart(_ pass: InitializationPass) { journal.note(state.current) }
}

extension InitManager {
  /// Reports all events to `delegate`.
  func tell(_ delegate: any AppInitializerEventsDelegate) { eventsDelegate = delegate }

  /// Waits until nothing runs.
  func quiet() async {
    while snapshots.contains(where: { $0.status == .running || $0.status == .stopping }) { await Task.yield() }
  }

  /// Waits until a retry is scheduled.
  func waited(for alarm: ManualAlarm) async { while alarm.deadline == nil { await Task.yield() } }
}
