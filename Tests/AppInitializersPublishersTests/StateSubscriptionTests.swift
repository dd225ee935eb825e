import Testing

@testable import AppInitializers
@testable import AppInitializersPublishers

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// A subscriber that requests the test's demand, and returns further demand for each value.
private final class Asking: Subscriber {
  private(set) var values: [InitializationState] = []
  private(set) var ends = 0
  private(set) var subscription: (any Subscription)?
  private let more: Subscribers.Demand

  init(_ more: Subscribers.Demand = .none) { self.more = more }

  func receive(subscription: any Subscription) { self.subscription = subscription }
  func receive(_ input: InitializationState) -> Subscribers.Demand {
    values.append(input)
    return more
  }
  func receive(completion: Subscribers.Completion<Never>) { ends += 1 }

  func drop() { subscription = nil }
}

private func failed(_ number: Int) -> InitializationState {
  .failed(error: .missingDependency(initializer: "a", dependency: "\(number)"))
}

@Suite("StateSubscription")
struct StateSubscriptionTests {
  private let observed = ObservedStates(StateValues())
  private var state: ObservableState { ObservableState(observed: observed, row: .launch) }

  private func publish(_ values: InitializationState...) {
    for value in values { observed.publish(StateValues(launch: value)) }
  }

  @Test("It delivers exactly as many values as were requested in total")
  func demand() {
    let subscriber = Asking()
    state.receive(subscriber: subscriber)
    publish(.complete, failed(1), failed(2), failed(3))
    #expect(subscriber.values.isEmpty)
    subscriber.subscription?.request(.max(2))
    #expect(subscriber.values == [.pending, .complete])
    subscriber.subscription?.request(.max(1))
    #expect(subscriber.values == [.pending, .complete, failed(1)])
    publish(failed(4))
    #expect(subscriber.values.count == 3)
    // Demand that precedes its value is kept.
    subscriber.subscription?.request(.max(5))
    #expect(subscriber.values.count == 6)
    publish(failed(5), failed(6), failed(7))
    #expect(subscriber.values == [.pending, .complete] + (1...6).map(failed))
  }

  @Test("The demand that a subscriber returns for a value is added")
  func furtherDemand() {
    let subscriber = Asking(.max(1))
    state.receive(subscriber: subscriber)
    publish(.complete, failed(1), failed(2))
    #expect(subscriber.values.isEmpty)
    subscriber.subscription?.request(.max(1))
    #expect(subscriber.values == [.pending, .complete, failed(1), failed(2)])
  }

  @Test("A subscriber that is too slow keeps the newest values, up to the backlog")
  func backlog() {
    let subscriber = Asking()
    state.receive(subscriber: subscriber)
    let last = ObservableState.observerBacklog + 10
    for number in 1...last { publish(failed(number)) }
    subscriber.subscription?.request(.unlimited)
    #expect(subscriber.values == (11...last).map(failed))
  }

  @Test("No value is delivered twice in a row, even after a gap (S1)")
  func doubles() {
    let subscriber = Asking()
    state.receive(subscriber: subscriber)
    subscriber.subscription?.request(.max(1))
    // After the gap, the pending values begin with the last delivered one.
    for _ in 0..<ObservableState.observerBacklog / 2 { publish(.complete, .pending) }
    publish(.complete)
    subscriber.subscription?.request(.unlimited)
    #expect(subscriber.values.count == ObservableState.observerBacklog)
    #expect(zip(subscriber.values, subscriber.values.dropFirst()).allSatisfy { $0 != $1 })
    publish(.pending, .complete)
    #expect(subscriber.values.suffix(2) == [.pending, .complete])
  }

  @Test("After a cancellation it releases its subscriber and its observer, and delivers nothing more")
  func cancelled() {
    weak var released: Asking?
    do {
      let subscriber = Asking()
      released = subscriber
      state.receive(subscriber: subscriber)
      publish(.complete)
      #expect(observed.observerCount == 1)
      subscriber.subscription?.cancel()
      #expect(observed.observerCount == 0)
      subscriber.subscription?.request(.unlimited)
      publish(failed(1))
      observed.end()
      #expect(subscriber.values.isEmpty && subscriber.ends == 0)
      subscriber.subscription?.cancel()
    }
    #expect(released == nil)
  }

  @Test("A dropped subscription is removed")
  func dropped() async throws {
    weak var released: Asking?
    do {
      let subscriber = Asking()
      released = subscriber
      state.receive(subscriber: subscriber)
      subscriber.drop()
    }
    #expect(released == nil)
    while observed.observerCount > 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test("It finishes once, after pending values, and releases everything")
  func end() {
    weak var released: Asking?
    do {
      let subscriber = Asking()
      released = subscriber
      state.receive(subscriber: subscriber)
      publish(.complete)
      observed.end()
      #expect(subscriber.ends == 0)
      subscriber.subscription?.request(.max(1))
      #expect(subscriber.values == [.pending] && subscriber.ends == 0)
      subscriber.subscription?.request(.max(1))
      #expect(subscriber.values == [.pending, .complete] && subscriber.ends == 1)
      subscriber.subscription?.request(.unlimited)
      #expect(subscriber.ends == 1)
    }
    #expect(released == nil)
    let late = Asking()
    state.receive(subscriber: late)
    late.subscription?.request(.unlimited)
    #expect(late.values == [.complete] && late.ends == 1)
  }
}
