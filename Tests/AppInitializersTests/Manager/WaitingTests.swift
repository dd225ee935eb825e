import Testing

@testable import AppInitializers

@Suite("InitManager: launched, ready, outcome of a pass")
struct WaitingTests {
  @Test("launched() returns when launch is complete, ready() when both phases are while the app is active (S1)")
  func complete() async throws {
    let gate = Gate()
    let manager = InitManager([Scripted("a") { await gate.enter() }, Scripted("z", .appActive)])
    async let launched: Void = manager.launched()
    async let ready: Void = manager.ready()
    await gate.arrived()
    #expect(manager.state.current == .pending)
    gate.open()
    try await launched
    #expect(manager.launchState.current == .complete)
    #expect(manager.state.current == .pending)
    await manager.activate()
    try await ready
    #expect(manager.state.current == .complete)
    try await manager.launched()
    try await manager.ready()
  }

  @Test("ready() waits while the app isn't active, even if everything is complete")
  func inactive() async throws {
    let manager = InitManager([Scripted("a"), Scripted("z", .appActive)])
    await manager.activate()
    try await manager.ready()
    await manager.deactivate()
    #expect(manager.state.current == .complete)
    let waiting = Task { try await manager.ready() }
    while await manager.waiterCount == 0 { await Task.yield() }
    await manager.activate()
    try await waiting.value
  }

  @Test("Without an initializer of the active phase, ready() returns once launch is complete (S1)")
  func withoutActivePhase() async throws {
    let manager = InitManager([Scripted("a")])
    try await manager.ready()
    #expect(await !manager.isActive)
    #expect(manager.state.current == .pending)
  }

  @Test("Both throw the error of a failure, even if it happened before the call")
  func failure() async {
    let error = AppInitializationError.initializerFailed(initializer: "a", underlyingError: Broken(number: 1))
    let manager = InitManager([Scripted("a") { throw Broken(number: 1) }])
    await #expect(throws: error) { try await manager.launched() }
    await #expect(throws: error) { try await manager.launched() }
    await #expect(throws: error) { try await manager.ready() }
    #expect(manager.state.current.error == error)
    #expect(InitializationState.pending.error == nil && InitializationState.complete.error == nil)
  }

  @Test("Waits end when their task is cancelled, or the manager has ended")
  func cancelled() async {
    let gate = Gate()
    let manager = InitManager([Scripted("a") { try await gate.enterOrStop() }])
    let cancelled = Task { try await manager.ready() }
    let left = Task { try await manager.launched() }
    while await manager.waiterCount < 2 { await Task.yield() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(await manager.waiterCount == 1)
    await manager.finish()
    await #expect(throws: CancellationError.self) { try await left.value }
    await #expect(throws: CancellationError.self) { try await manager.ready() }
  }

  @Test("A manager that has been ended isn't ready, even if it was")
  func ended() async throws {
    let manager = InitManager([Scripted("z", .appActive)])
    await manager.activate()
    try await manager.ready()
    await manager.finish()
    #expect(await manager.activate() == 0)
    await #expect(throws: CancellationError.self) { try await manager.ready() }
  }

  @Test("activate() gives the number of the pass it started or joined; its outcome can be waited for (S10)")
  func outcome() async throws {
    let gate = Gate()
    let manager = InitManager([Scripted("z", .appActive) { try await gate.enterOrStop() }])
    let first = await manager.activate()
    #expect(await manager.activate() == first)
    await gate.arrived()
    await manager.deactivate()
    let second = await manager.activate()
    #expect(second > first)
    #expect(try await manager.outcome(ofPass: first) == .cancelled)
    gate.open()
    #expect(try await manager.outcome(ofPass: second) == .complete)
    #expect(try await manager.outcome(ofPass: 1) == .complete)
    await #expect(throws: UnknownPass(number: 99)) { try await manager.outcome(ofPass: 99) }
    await manager.finish()
    #expect(await manager.activate() == 0)
  }

  @Test("A failed pass's outcome has the error that was thrown")
  func failedOutcome() async throws {
    let manager = InitManager([Scripted("z", .appActive) { throw Broken(number: 4) }])
    let error = AppInitializationError.initializerFailed(initializer: "z", underlyingError: Broken(number: 4))
    let pass = await manager.activate()
    #expect(try await manager.outcome(ofPass: pass) == .failed(error: error))
  }
}
