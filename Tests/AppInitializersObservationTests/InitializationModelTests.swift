import AppInitializers
import AppInitializersObservation
import Observation
import Synchronization
import Testing

private final class Nothing: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

@Suite("InitializationModel")
@MainActor
struct InitializationModelTests {
  /// Waits for the next change of a property that `read` reads.
  private func change(of read: () -> Void) async {
    let (changes, told) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking(read) { told.yield() }
    for await _ in changes { return }
  }

  @Test("It starts with the current values, and its observers are notified of changes (S1)")
  func changes() async {
    let manager = InitManager([Nothing()])
    for await state in manager.launchState.values where state == .complete { break }
    let model = InitializationModel(manager)
    #expect(model.launchState == .complete)
    #expect(model.state == .pending)
    await manager.activate()
    while model.state != .complete { await change { _ = model.state } }
    #expect(model.activeState == .complete)
  }

  @Test("A model doesn't keep its manager alive, nor a manager its model")
  func kept() async {
    var manager: InitManager? = InitManager([Nothing()])
    var model = manager.map { InitializationModel($0) }
    weak let heldManager = manager
    weak let heldModel = model
    for await state in manager?.launchState.values ?? InitManager([]).state.values where state == .complete { break }
    model = nil
    #expect(heldModel == nil)
    manager = nil
    // The end of the sequence above may still hold it for a moment.
    while heldManager != nil { await Task.yield() }
  }
}
