public import AppInitializers

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// A state as a publisher: of Combine where there is Combine, of OpenCombine elsewhere.
///
/// A subscriber gets the present value as soon as it asks for one, then every change, in order, never the same value twice running (S1), and the end
/// when the manager is gone. Values come on the executor of the manager: give it `on: MainActor.shared` where a user interface is assigned to. One that asks for too
/// little and falls ``AppInitializers/ObservableState/observerBacklog`` changes behind loses the oldest of them.
extension ObservableState: Publisher {
  /// What it publishes.
  public typealias Output = InitializationState
  /// It doesn't fail: a failure of initialization is a value.
  public typealias Failure = Never

  /// Subscribes; called by `subscribe(_:)` and the operators.
  public func receive<Downstream: Subscriber>(
    subscriber: Downstream
  ) where Downstream.Input == InitializationState, Downstream.Failure == Never {
    let subscription = StateSubscription(subscriber)
    subscription.begin(self)
    subscriber.receive(subscription: subscription)
  }
}
