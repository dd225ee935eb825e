internal import AppInitializers
internal import InitLocks

#if canImport(Combine)
  internal import Combine
#else
  internal import OpenCombine
#endif

// Invariants: values are queued under the lock of the observed value. They are delivered without any lock, by one thread at a time, in
// order. If a thread is already delivering, other threads leave the delivery to it. So a subscriber may request, cancel or cause a change
// while it receives a value.

/// One subscriber's subscription to a state's values.
final class StateSubscription: Subscription, Sendable {
  /// The subscriber, type-erased.
  struct Downstream {
    let receive: (InitializationState) -> Subscribers.Demand
    let finish: () -> Void
  }

  /// The lock protects it; the subscriber is called without the lock, by one thread at a time.
  private struct Content: @unchecked Sendable {
    var downstream: Downstream?
    var waiting: [InitializationState] = []
    var last: InitializationState?
    var demand = Subscribers.Demand.none
    var isDelivering = false
    var hasEnded = false
    var observation: StateObservation?
  }

  private enum Step {
    case value(InitializationState, Downstream)
    case end(Downstream)
    case rest
  }

  private let content: Locked<Content>

  init(_ subscriber: some Subscriber<InitializationState, Never>) {
    content = Locked(
      Content(
        downstream: Downstream(
          receive: { subscriber.receive($0) }, finish: { subscriber.receive(completion: .finished) })))
  }

  deinit {
    guard let observation = content.withLock({ $0.observation }) else { return }
    // The cancellation runs in a task, because the thread that released the subscription last may hold the lock of the observed value.
    Task { observation.cancel() }
  }

  /// Starts observing; the subscriber keeps the subscription alive, the state doesn't.
  func begin(_ state: ObservableState) {
    let observation = state.observe(
      receive: { [weak self] in self?.receive($0) }, flush: { [weak self] in self?.deliver() },
      finish: { [weak self] in self?.end() })
    content.withLock { $0.observation = observation }
  }

  func request(_ demand: Subscribers.Demand) {
    content.withLock { $0.demand += demand }
    deliver()
  }

  func cancel() {
    let (observation, _): (StateObservation?, Downstream?) = content.withLock { content in
      defer {
        content.downstream = nil
        content.waiting = []
        content.observation = nil
      }
      return (content.observation, content.downstream)
    }
    observation?.cancel()
  }

  private func receive(_ value: InitializationState) {
    content.withLock { content in
      guard content.downstream != nil else { return }
      content.waiting.append(value)
      if content.waiting.count > ObservableState.observerBacklog { content.waiting.removeFirst() }
    }
  }

  private func end() {
    content.withLock { $0.hasEnded = true }
    deliver()
  }

  private func deliver() {
    let isMine = content.withLock { content in
      defer { content.isDelivering = true }
      return !content.isDelivering
    }
    guard isMine else { return }
    while true {
      switch content.withLock({ Self.next(&$0) }) {
      case .value(let value, let downstream):
        let more = downstream.receive(value)
        content.withLock { $0.demand += more }
      case .end(let downstream): return downstream.finish()
      case .rest: return
      }
    }
  }

  /// Returns the next value to deliver; if there is none, the delivery ends.
  private static func next(_ content: inout Content) -> Step {
    // After a gap the next value may equal the last delivered one; then it isn't a change.
    while content.waiting.first != nil, content.waiting.first == content.last { content.waiting.removeFirst() }
    if let downstream = content.downstream, let value = content.waiting.first, content.demand > .none {
      content.waiting.removeFirst()
      content.demand -= 1
      content.last = value
      return .value(value, downstream)
    }
    content.isDelivering = false
    guard content.hasEnded, content.waiting.isEmpty, let downstream = content.downstream else { return .rest }
    content.downstream = nil
    return .end(downstream)
  }
}
