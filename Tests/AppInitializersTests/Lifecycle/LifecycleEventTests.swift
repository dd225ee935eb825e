import Testing

@testable import AppInitializers

@Suite("LifecycleEvent")
struct LifecycleEventTests {
  @Test(
    "A manager follows its lifecycle source: it launches by itself, and each activation runs the active phase again (S3, S4)"
  )
  func followed() async {
    let (events, source) = AsyncStream.makeStream(of: LifecycleEvent.self)
    let journal = Journal<String>()
    let manager = InitManager(
      [Scripted("a") { journal.note("a") }, Scripted("b", .appActive) { journal.note("b") }], lifecycle: events)
    source.yield(.activate)
    #expect(await manager.state.reached(.complete))
    source.yield(.deactivate)
    source.yield(.activate)
    while journal.entries.count < 3 { await Task.yield() }
    #expect(await manager.state.reached(.complete))
    #expect(journal.entries == ["a", "b", "b"])
  }

  @Test("A run that one event of a pair cancelled runs again after the other (S11, S12)")
  func paired() async {
    let (events, source) = AsyncStream.makeStream(of: LifecycleEvent.self)
    let gate = Gate()
    let journal = Journal<String>()
    let manager = InitManager(
      [
        Scripted("b", .appActive) {
          journal.note("b")
          if journal.entries.count == 1 { try await gate.enterOrStop() }
        }
      ], lifecycle: events)
    source.yield(.activate)
    await gate.arrived()
    source.yield(.deactivate)
    source.yield(.activate)
    #expect(await manager.state.reached(.complete))
    #expect(journal.entries == ["b", "b"])
  }

  @Test("The source doesn't keep the manager alive, and isn't followed after the manager's end")
  func ends() async {
    let (events, source) = AsyncStream.makeStream(of: LifecycleEvent.self)
    let gone = Gate()
    source.onTermination = { _ in Task { await gone.enter() } }
    var manager: InitManager? = InitManager([Scripted("a")], lifecycle: events)
    weak let held = manager
    #expect(await manager?.launchState.reached(.complete) == true)
    manager = nil
    await gone.arrived()
    gone.open()
    #expect(held == nil)
  }

  @Test("A manager that is finished doesn't follow its source any longer")
  func finished() async {
    let (events, source) = AsyncStream.makeStream(of: LifecycleEvent.self)
    let gone = Gate()
    source.onTermination = { _ in Task { await gone.enter() } }
    let manager = InitManager([Scripted("a")], lifecycle: events)
    #expect(await manager.launchState.reached(.complete))
    await manager.finish()
    await gone.arrived()
    gone.open()
    #expect(manager.launchState.current == .complete)
  }

  @Test("Followed explicitly, its events are applied until it ends or its task is cancelled")
  func byHand() async {
    let manager = InitManager(testing: [Scripted("a"), Scripted("b", .appActive)])
    await manager.start()
    await manager.follow(
      AsyncStream { continuation in
        continuation.yield(.activate)
        continuation.finish()
      })
    #expect(await manager.state.reached(.complete))
    let endless = AsyncStream.makeStream(of: LifecycleEvent.self)
    let task = Task { await manager.follow(endless.stream) }
    task.cancel()
    await task.value
  }
}
