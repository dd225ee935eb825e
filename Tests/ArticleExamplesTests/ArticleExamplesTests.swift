import AppInitializers
import Testing

@Suite("Examples of the articles")
struct ArticleExamplesTests {
  @Test("The overview's manager becomes ready")
  func overview() async throws {
    let manager = InitManager([FavoritesInitializer(), TogglesInitializer(), EventsInitializer()])
    await manager.activate()
    try await manager.ready()
    #expect(manager.state.current == .complete)
  }

  @Test("Defining: the shelves get the toggles")
  func shelves() async {
    let manager = InitManager([ShelvesInitializer(), TogglesInitializer()])
    #expect(await launched(manager))
  }

  @Test("Managing dependencies: A, B, C")
  func nested() async {
    #expect(await launched(InitManager([C(), B(), A()])))
  }

  @Test("Executing: a list in any order, reported as it is executed")
  func executing() async {
    let manager = InitManager([EventsInitializer(), TogglesInitializer(), FavoritesInitializer()])
    #expect(await launched(manager))
    #expect(await launched(InitManager([EventsInitializer()], eventsDelegate: Announcer())))
  }

  @Test("Executing: a lifecycle source drives the active phase")
  func lifecycle() async {
    let (events, source) = AsyncStream.makeStream(of: LifecycleEvent.self)
    let manager = InitManager([EventsInitializer(), SessionInitializer()], lifecycle: events)
    source.yield(.activate)
    for await state in manager.state.values where state == .complete { break }
    #expect(manager.activeState.current == .complete)
  }

  @Test("Monitoring: a state is shown until its manager is deallocated")
  func monitoring() async {
    var manager: InitManager? = InitManager([EventsInitializer()])
    guard let state = manager?.launchState else { return }
    for await value in state.values where value == .complete { break }
    manager = nil
    await show(state)
    #expect(state.current == .complete)
  }

  @Test("Monitoring: a pass is waited for, and progress is followed")
  func waiting() async throws {
    let manager = InitManager([EventsInitializer(), SessionInitializer()])
    let pass = await manager.activate()
    switch try await manager.outcome(ofPass: pass) {
    case .complete: print("ready")
    case .failed(let error): print("failed: \(error)")
    case .cancelled: print("the app was deactivated")
    }
    await manager.finish()
    for await progress in await manager.progress.values {
      print("\(progress.done) of \(progress.total)", progress.running.map { $0.message ?? $0.initializer })
    }
    #expect(await manager.progress.done == 2)
  }

  @Test("Error handling: each error is explained")
  func errors() async {
    #expect(explain(.circularDependency(["a", "b", "a"])) == "these wait for each other: a → b → a")
    #expect(explain(.missingDependency(initializer: "a", dependency: "b")) == "a needs b, which isn't there")
    #expect(explain(.duplicateInitializer("a")) == "there are two of the name a")
    #expect(explain(.initializerFailed(initializer: "a", underlyingError: CancellationError())).hasPrefix("a failed: "))
  }
}
