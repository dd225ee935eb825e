public import AppInitializers

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// A state as a publisher: of Combine if it is available, else of OpenCombine.
///
/// A subscriber gets the current value at its first demand, then every change in order, never the same value twice in a row (S1), and
/// completion when the manager is deallocated. Values are delivered on the manager's executor: create it with `on: MainActor.shared` to
/// update a user interface. A subscriber with too little demand loses the oldest changes when it is
/// ``AppInitializers/ObservableState/observerBacklog`` changes behind.
extension ObservableState: Publisher {
  /// The published values.
  public typealias Output = InitializationState
  /// The publisher doesn't fail: a failure of initialization is a value.
  public typealias Failure = Never

  /// Subscribes a subscriber; called by `subscribe(_:)` and operators.
  public func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Input == InitializationState, Downstream.Failure == Never {
    let subscription = StateSubscription(subscriber)
    subscription.begin(self)
    subscriber.receive(subscription: subscription)
  }
}
