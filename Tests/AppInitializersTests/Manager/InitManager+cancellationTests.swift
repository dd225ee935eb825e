import InitCore
import InitWords
import Testing

@testable import AppInitializers

/// A manager with an empty launch, and one active initializer that waits at a gate.
private struct Scene {
  let gate = Gate()
  let told = Told()
  let manager: InitManager

  /// Creates a manager; `honours` says whether the initializer stops when its task is cancelled.
  init(honours: Bool, then body: @escaping @Sendable () async throws -> Void = {}) async {
    let gate = gate
    manager = InitManager(testing: [
      Scripted("session", .appActive) {
        if honours { try await gate.enterOrStop() } else { await gate.enter() }
        try await body()
      }
    ])
    await manager.observe { [told] in told.note($0, $1) }
    await manager.start()
  }

  /// Activates, and waits until the initializer has reached the gate this many times.
  func activate(arrivals: Int = 1) async {
    await manager.activate()
    await gate.arrived(arrivals)
  }
}

extension InitManager {
  /// Waits until no run is in flight.
  fileprivate func becameIdle() async {
    while !tasksInFlight.isEmpty { await Task.yield() }
  }

  private var tasksInFlight: [Int] {
    machine.initializers.compactMap(\.run).filter { $0.duration == nil }.map(\.id.rawValue)
  }
}

@Suite("InitManager: cancellation")
struct InitManagerCancellationTests {
  @Test("An initializer that honours its cancellation leaves the state pending, not failed (S11, S12)")
  func honoured() async {
    let scene = await Scene(honours: true)
    await scene.activate()
    await scene.manager.deactivate()
    await scene.manager.becameIdle()
    #expect(scene.manager.activeState.current == .pending)
    #expect(await scene.manager.status(of: "session") == .cancelled)
    #expect(scene.told.passes.suffix(2) == ["active 2 started", "active 2 cancelled"])
  }

  @Test("The result of a run that ignores its cancellation doesn't count, and the state stays pending (S11, S12)")
  func ignored() async {
    let scene = await Scene(honours: false)
    await scene.activate()
    await scene.manager.deactivate()
    #expect(await scene.manager.status(of: "session") == .stopping)
    scene.gate.open()
    await scene.manager.becameIdle()
    #expect(scene.manager.activeState.current == .pending)
    #expect(scene.manager.state.current == .pending)
    #expect(await scene.manager.status(of: "session") == .cancelled)
  }

  @Test("An error that is thrown after the cancellation doesn't count either (S12)")
  func lateError() async {
    let scene = await Scene(honours: false) { throw Broken(number: 1) }
    await scene.activate()
    await scene.manager.deactivate()
    scene.gate.open()
    await scene.manager.becameIdle()
    #expect(scene.manager.activeState.current == .pending)
  }

  @Test("A new pass starts once the cancelled one has stopped, and not before (S13, S14)")
  func newPassWaits() async {
    let scene = await Scene(honours: false)
    await scene.activate()
    await scene.manager.deactivate()
    await scene.manager.activate()
    #expect(await scene.manager.activePass == 3)
    #expect(scene.gate.arrivals == 1)
    #expect(await scene.manager.status(of: "session") == .stopping)
    scene.gate.open()
    #expect(await scene.manager.activeState.settled() == .complete)
    #expect(scene.gate.arrivals == 2)
    #expect(
      scene.told.passes.suffix(4)
        == ["active 2 started", "active 2 cancelled", "active 3 started", "active 3 complete"])
  }

  @Test("An initializer that a cancellation skipped runs in the next pass (S12)")
  func skippedRunsAgain() async {
    let gate = Gate()
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("one", .appActive) { try await gate.enterOrStop() },
      Scripted("two", .appActive) { journal.note("two") },
    ])
    await manager.start()
    await manager.activate()
    await gate.arrived()
    await manager.deactivate()
    await manager.becameIdle()
    #expect(await manager.status(of: "two") == .idle)
    gate.open()
    await manager.activate()
    #expect(await manager.activeState.settled() == .complete)
    #expect(journal.entries == ["two"])
  }

  @Test("A run that is cancelled before its task has begun never calls the initializer (S12)")
  func beforeItBegan() async {
    let executor = HeldExecutor()
    let journal = Journal<String>()
    let manager = InitManager(
      testing: [Scripted("session", .appActive) { journal.note("session") }], objectExecutor: executor)
    await manager.start()
    await manager.activate()
    #expect(executor.count == 1)
    await manager.deactivate()
    #expect(await manager.status(of: "session") == .stopping)
    executor.release()
    await manager.becameIdle()
    #expect(journal.entries.isEmpty)
    #expect(manager.activeState.current == .pending)
    #expect(await manager.status(of: "session") == .cancelled)
  }

  @Test("Deactivation leaves the launch pass alone (S11)")
  func launchGoesOn() async {
    let gate = Gate()
    let manager = InitManager(testing: [Scripted("database") { try await gate.enterOrStop() }])
    await manager.start()
    await manager.activate()
    await gate.arrived()
    await manager.deactivate()
    #expect(await manager.status(of: "database") == .running)
    gate.open()
    #expect(await manager.launchState.settled() == .complete)
    #expect(manager.activeState.current == .pending)
  }

  @Test("An operator's cancellation fails the run, and returns once it has stopped (S34)")
  func byOperator() async throws {
    let scene = await Scene(honours: false)
    await scene.activate()
    let cancelling = Task { try await scene.manager.cancel("session", by: "ops") }
    while await scene.manager.status(of: "session") != .stopping { await Task.yield() }
    scene.gate.open()
    try await cancelling.value
    guard case .failed(let error) = scene.manager.activeState.current, case .initializerFailed(_, let cause) = error
    else {
      Issue.record("\(scene.manager.activeState.current)")
      return
    }
    #expect(cause as? InitializerFailure == .cancelled(by: "ops"))
    let idle = await #expect(throws: InitializerRefusal.self) { try await scene.manager.cancel("session") }
    #expect(idle?.kind == .notRunning)
    let unknown = await #expect(throws: InitializerRefusal.self) { try await scene.manager.cancel("nobody") }
    #expect(unknown?.kind == .unknownInitializer)
    await scene.manager.finish()
    let ended = await #expect(throws: InitializerRefusal.self) { try await scene.manager.cancel("session") }
    #expect(ended?.kind == .notRunning)
  }
}
