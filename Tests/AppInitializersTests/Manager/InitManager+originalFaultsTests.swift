import Testing

@testable import AppInitializers

private final class Favorites: Scripted {}

/// Faults of the original, tested with a manager; each test is named after its fault.
///
/// The tests about cancellation are in InitManager+cancellationTests.
@Suite("InitManager: faults of the original")
struct InitManagerOriginalFaultsTests {
  @Test("Activating during an activation joins it: no initializer runs twice (S10)")
  func fiveTimesAtOnce() async {
    let gate = Gate()
    let told = Told()
    let manager = InitManager(testing: [Scripted("session", .appActive) { await gate.enter() }])
    await manager.observe { told.note($0, $1) }
    await manager.start()
    for _ in 0..<5 { await manager.activate() }
    await gate.arrived()
    for _ in 0..<5 { await manager.activate() }
    gate.open()
    #expect(await manager.activeState.settled() == .complete)
    #expect(gate.arrivals == 1)
    #expect(told.passes == ["launch 1 started", "launch 1 complete", "active 2 started", "active 2 complete"])
  }

  @Test("Right after `activate` a reader sees pending, not the old complete (S10)")
  func oldComplete() async {
    let gate = Gate()
    gate.open()
    let manager = InitManager(testing: [Scripted("session", .appActive) { await gate.enter() }])
    await manager.start()
    await manager.activate()
    #expect(await manager.state.settled() == .complete)
    await manager.assertPendingAfterActivation()
    #expect(await manager.state.settled() == .complete)
  }

  @Test("Each pass reports one start and one end, and a failure is reported as a failure (S8, S11)")
  func pairedEvents() async {
    let gate = Gate()
    let told = Told()
    let journal = Journal<Int>()
    let manager = InitManager(testing: [
      Scripted("session", .appActive) {
        journal.note(1)
        if journal.entries.count == 1 { throw Broken(number: 1) }
        await gate.enter()
      }
    ])
    await manager.observe { told.note($0, $1) }
    await manager.start()
    await manager.activate()
    _ = await manager.activeState.settled()
    await manager.activate()
    await gate.arrived()
    await manager.deactivate()
    await manager.activate()
    await manager.deactivate()
    await manager.activate()
    gate.open()
    #expect(await manager.activeState.settled() == .complete)
    #expect(
      told.passes == [
        "launch 1 started", "launch 1 complete", "active 2 started", "active 2 failed", "active 3 started",
        "active 3 cancelled", "active 4 started", "active 4 cancelled", "active 5 started", "active 5 complete",
      ])
    #expect(told.words.filter { $0.hasPrefix("state") }.contains("state complete failed active"))
  }

  @Test("An explicit launch in addition runs launch only once (S10)")
  func launchTwice() async {
    let journal = Journal<String>()
    let manager = InitManager([Scripted("a") { journal.note("a") }])
    await manager.launch()
    await manager.launch()
    #expect(await manager.launchState.settled() == .complete)
    await manager.launch()
    #expect(manager.launchState.current == .complete)
    #expect(journal.entries == ["a"])
  }

  @Test("After an explicit launch has failed, the start of the manager doesn't retry it (S9, S10)")
  func launchBeforeStart() async {
    let told = Told()
    let manager = InitManager(testing: [Scripted("a", after: ["a"])])
    await manager.observe { told.note($0, $1) }
    await manager.launch()
    await manager.start()
    #expect(told.passes == ["launch 1 started", "launch 1 failed"])
  }

  @Test("Two initializers of one class are an error, because they have the same name; neither is dropped (S2, S5)")
  func oneClassTwice() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("other") { journal.note("other") }, Favorites("favorites") { journal.note("favorites") },
      Favorites("favorites") { journal.note("favorites") },
    ])
    await manager.start()
    #expect(manager.launchState.current == .failed(error: .duplicateInitializer("favorites")))
    #expect(journal.entries.isEmpty)
  }

  @Test("The late end of a cancelled pass doesn't change the state of a newer one (S12)")
  func lateCancelledPass() async {
    let gates = [Gate(), Gate()]
    let journal = Journal<Int>()
    let manager = InitManager(testing: [
      Scripted("session", .appActive) {
        journal.note(1)
        await gates[journal.entries.count - 1].enter()
      }
    ])
    await manager.start()
    await manager.activate()
    await gates[0].arrived()
    await manager.deactivate()
    await manager.activate()
    let values = manager.activeState.values
    gates[0].open()
    await gates[1].arrived()
    #expect(manager.activeState.current == .pending)
    gates[1].open()
    var seen: [InitializationState] = []
    for await value in values {
      seen.append(value)
      if value != .pending { break }
    }
    #expect(seen == [.pending, .complete])
  }
}

extension InitManager {
  /// Asserts the state in one step of the executor, so no run can come between.
  fileprivate func assertPendingAfterActivation() {
    deactivate()
    activate()
    #expect(activeState.current == .pending)
    #expect(state.current == .pending)
    #expect(launchState.current == .complete)
  }
}
