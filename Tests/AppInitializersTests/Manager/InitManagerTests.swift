import InitCore
import InitWords
import Testing

@testable import AppInitializers

private final class First: Scripted {}
private final class Second: Scripted {}

/// An initializer that declares only the required members.
private final class Plain: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

@Suite("InitManager: passes")
struct InitManagerTests {
  @Test("Launch starts by itself, and an activation without active initializers completes at once (S3, S4)")
  func startsByItself() async {
    let journal = Journal<String>()
    let manager = InitManager([Scripted("a") { journal.note("a") }])
    #expect(await manager.launchState.reached(.complete))
    await manager.activate()
    #expect(await manager.state.reached(.complete))
    #expect(journal.entries == ["a"])
  }

  @Test("Dependencies by type and by name complete first; the others follow in the given order (S6)")
  func order() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("last", after: ["second"], types: [First.self]) { journal.note("last") },
      Scripted("lone") { journal.note("lone") },
      First("first", after: ["base"]) { journal.note("first") },
      Second("second") { journal.note("second") },
      Scripted("base") { journal.note("base") },
    ])
    await manager.start()
    #expect(await manager.launchState.settled() == .complete)
    #expect(journal.entries == ["base", "first", "second", "last", "lone"])
  }

  @Test("A dependency on a type waits for every initializer of that type")
  func severalOfAType() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("last", types: [First.self]) { journal.note("last") },
      First("one") { journal.note("one") },
      First("two") { journal.note("two") },
    ])
    await manager.start()
    #expect(await manager.launchState.settled() == .complete)
    #expect(journal.entries == ["one", "two", "last"])
  }

  @Test("An initializer is named after its type unless it declares a name")
  func names() async {
    let manager = InitManager(testing: [Plain(), First("custom")])
    #expect(await manager.snapshots.map(\.declaration.name) == ["Plain", "custom"])
  }

  @Test("The number of concurrent runs is bounded, and a pass has at most one run per initializer at once (S6, S7)")
  func concurrency() async {
    let gate = Gate()
    let manager = InitManager(
      testing: (0..<3).map { Scripted("\($0)") { await gate.enter() } }, .init(concurrency: 2))
    await manager.start()
    await gate.arrived(2)
    #expect(await manager.snapshots.map(\.status) == [.running, .running, .waiting])
    gate.open()
    #expect(await manager.launchState.settled() == .complete)
    #expect(gate.arrivals == 3)
  }

  @Test("The active phase waits for launch, and runs again with each activation; launch doesn't (S4, S10)")
  func activePhase() async {
    let journal = Journal<String>()
    let gate = Gate()
    let manager = InitManager(testing: [
      Scripted("session", .appActive, after: ["database"]) { journal.note("session") },
      Scripted("database") {
        await gate.enter()
        journal.note("database")
      },
    ])
    await manager.start()
    await manager.activate()
    await gate.arrived()
    #expect(manager.state.current == .pending)
    gate.open()
    #expect(await manager.state.settled() == .complete)
    await manager.deactivate()
    await manager.activate()
    #expect(await manager.activeState.settled() == .complete)
    #expect(journal.entries == ["database", "session", "session"])
  }

  @Test("An initializer's error fails the pass, and the state has the thrown error itself (S2, S8)")
  func thrownError() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("bad") { throw Broken(number: 7) }, Scripted("next") { journal.note("next") },
    ])
    await manager.start()
    let state = await manager.launchState.settled()
    guard case .failed(.initializerFailed("bad", let error)) = state else {
      Issue.record("the state is \(String(describing: state))")
      return
    }
    #expect(error as? Broken == Broken(number: 7))
    #expect(manager.state.current == manager.launchState.current)
    #expect(journal.entries.isEmpty)
    #expect(await manager.status(of: "next") == .notRun)
  }

  @Test("After a failed launch, `launch` retries the initializers that haven't completed (S9)")
  func retriedLaunch() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("good") { journal.note("good") },
      Scripted("bad") {
        journal.note("bad")
        if journal.entries.count < 3 { throw Broken(number: 1) }
      },
    ])
    await manager.start()
    #expect(await manager.launchState.settled() != .complete)
    await manager.launch()
    #expect(await manager.launchState.reached(.complete))
    #expect(journal.entries == ["good", "bad", "bad"])
  }

  @Test("If launch failed, no active initializer runs, and the active state fails with launch's error (S8)")
  func activeAfterFailedLaunch() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("bad") { throw Broken(number: 1) }, Scripted("session", .appActive) { journal.note("session") },
    ])
    await manager.start()
    let launch = await manager.launchState.settled()
    await manager.activate()
    #expect(manager.activeState.current == launch)
    #expect(journal.entries.isEmpty)
  }

  @Test("A circular dependency fails the pass with the whole cycle, before anything runs (S5)")
  func cycle() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("free") { journal.note("free") }, Scripted("a", after: ["b"]), Scripted("b", after: ["a"]),
    ])
    await manager.start()
    #expect(manager.launchState.current == .failed(error: .circularDependency(["a", "b", "a"])))
    #expect(journal.entries.isEmpty)
  }

  @Test("A dependency on a missing type fails the pass with the type's full name, before anything runs (S5)")
  func missing() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Scripted("free") { journal.note("free") }, Scripted("a", types: [First.self]),
    ])
    await manager.start()
    #expect(
      manager.launchState.current
        == .failed(error: .missingDependency(initializer: "a", dependency: "AppInitializersTests.First")))
    #expect(journal.entries.isEmpty)
  }

  @Test("A dropped manager is deallocated, and the sequences of its states end")
  func dropped() async {
    let values: InitializationStates
    weak var leftover: InitManager?
    do {
      let manager = InitManager(testing: [Scripted("a")])
      leftover = manager
      values = manager.state.values
      await manager.start()
      #expect(await manager.launchState.settled() == .complete)
      await manager.activate()
      #expect(await manager.state.settled() == .complete)
    }
    var last: InitializationState?
    for await value in values { last = value }
    #expect(last == .complete)
    #expect(leftover == nil)
  }
}
