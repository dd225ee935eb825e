import AppInitializers
import AppInitializersPublishers
import Synchronization
import Testing

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// Fails for as long as the test requires.
private final class Flaky: AppInitializer {
  let priority = InitializerPriority.appActive
  private let fails: Mutex<Bool>
  init(fails: Bool) { self.fails = Mutex(fails) }
  func run() async throws {
    let isFailing = fails.withLock { fails in
      defer { fails = false }
      return fails
    }
    if isFailing { throw CancellationError() }
  }
}

private final class Nothing: AppInitializer {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

/// A subscriber whose demand the test sets.
private final class Asking: Subscriber {
  private(set) var values: [InitializationState] = []
  private(set) var isFinished = false
  private(set) var subscription: (any Subscription)?
  private let onValue: (InitializationState, Asking) -> Subscribers.Demand

  init(onValue: @escaping (InitializationState, Asking) -> Subscribers.Demand = { _, _ in .none }) {
    self.onValue = onValue
  }

  func receive(subscription: any Subscription) { self.subscription = subscription }
  func receive(_ input: InitializationState) -> Subscribers.Demand {
    values.append(input)
    return onValue(input, self)
  }
  func receive(completion: Subscribers.Completion<Never>) { isFinished = true }
}

@MainActor
private func settled(_ state: ObservableState) async {
  for await value in state.values where value != .pending { return }
}

@Suite("Publishers")
@MainActor
struct PublisherTests {
  @Test(
    "A subscriber gets the current value at once, then every change in order, never the same value twice in a row (S1)")
  func changes() async {
    let manager = InitManager([Nothing(), Flaky(fails: true)], on: MainActor.shared)
    await settled(manager.launchState)
    var values: [InitializationState] = []
    let subscription = manager.state.sink { values.append($0) }
    #expect(values == [.pending])
    await manager.activate()
    await settled(manager.activeState)
    await manager.activate()
    for await value in manager.activeState.values where value == .complete { break }
    #expect(values.count == 4 && values.first == .pending && values.dropFirst(2).elementsEqual([.pending, .complete]))
    guard case .failed = values[1] else { return #expect(Bool(false), "\(values[1])") }
    subscription.cancel()
  }

  @Test("Values without demand aren't delivered, but kept")
  func demand() async {
    let manager = InitManager([Nothing()], on: MainActor.shared)
    let subscriber = Asking()
    manager.launchState.receive(subscriber: subscriber)
    #expect(subscriber.values.isEmpty)
    subscriber.subscription?.request(.max(1))
    #expect(subscriber.values == [.pending])
    await settled(manager.launchState)
    #expect(subscriber.values == [.pending])
    subscriber.subscription?.request(.unlimited)
    #expect(subscriber.values == [.pending, .complete])
  }

  @Test("A subscriber may request more, or cancel, while it receives a value")
  func reentrancy() async {
    let manager = InitManager([Nothing()], on: MainActor.shared)
    let more = Asking { _, subscriber in
      subscriber.subscription?.request(.max(1))
      return .none
    }
    let enough = Asking { _, subscriber in
      subscriber.subscription?.cancel()
      return .unlimited
    }
    for subscriber in [more, enough] {
      manager.launchState.receive(subscriber: subscriber)
      subscriber.subscription?.request(.max(1))
    }
    await settled(manager.launchState)
    #expect(more.values == [.pending, .complete])
    #expect(enough.values == [.pending])
  }

  @Test("When the manager is deallocated, a publisher finishes after its pending values")
  func finishes() async {
    var manager: InitManager? = InitManager([Nothing()], on: MainActor.shared)
    let subscriber = Asking()
    guard let state = manager?.launchState else { return }
    state.receive(subscriber: subscriber)
    subscriber.subscription?.request(.max(1))
    await settled(state)
    manager = nil
    for await _ in state.values {}
    #expect(!subscriber.isFinished)
    subscriber.subscription?.request(.unlimited)
    #expect(subscriber.values == [.pending, .complete])
    #expect(subscriber.isFinished)
  }
}
