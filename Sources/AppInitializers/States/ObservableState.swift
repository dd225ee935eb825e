internal import InitLocks

/// A state that can be read and observed from any thread: a small handle, which may be copied.
public struct ObservableState: Sendable {
  /// The maximum number of unread changes of an observer; beyond it, the oldest are dropped.
  public static let observerBacklog = 256

  let observed: ObservedStates
  let row: StateValues.Row

  init(observed: ObservedStates, row: StateValues.Row) {
    self.observed = observed
    self.row = row
  }

  /// Creates a state that doesn't change, for tests and previews.
  public init(_ value: InitializationState) { self = Source(value).state }

  /// The current value.
  ///
  /// The states of a manager change together: a state that is read later is never older (S1).
  public var current: InitializationState { observed.value[row] }

  /// The current value, then every change in order, never the same value twice in a row (S1).
  ///
  /// Each call creates an independent observer. It ends when its task is cancelled or the manager is deallocated. An observer that is more
  /// than ``observerBacklog`` changes behind loses the oldest of them.
  public var values: InitializationStates {
    let (stream, continuation) = AsyncStream.makeStream(
      of: InitializationState.self, bufferingPolicy: .bufferingNewest(Self.observerBacklog))
    let outbox = Outbox(continuation, backlog: Self.observerBacklog)
    let observation = observe(receive: outbox.add, flush: outbox.deliver, finish: outbox.finish)
    continuation.onTermination = { _ in observation.cancel() }
    outbox.deliver()
    return InitializationStates(stream: stream)
  }

  /// Registers an observer, which gets the current value first and then every change; see ``StateObserver``.
  package func observe(
    receive: @escaping @Sendable (InitializationState) -> Void, flush: @escaping @Sendable () -> Void,
    finish: @escaping @Sendable () -> Void
  ) -> StateObservation {
    let last = Locked<InitializationState?>(nil)
    let observer = StateObserver(
      receive: { [row] values in
        let value = values[row]
        let isNew = last.withLock { last in
          defer { last = value }
          return last != value
        }
        if isNew { receive(value) }
      }, flush: flush, finish: finish)
    return StateObservation(observed: observed, number: observed.add(observer))
  }
}

/// An observer's registration.
package struct StateObservation: Sendable {
  weak let observed: ObservedStates?
  let number: Int?

  /// Ends the registration.
  package func cancel() {
    if let number { observed?.remove(number) }
  }
}

extension ObservableState {
  /// A state that a test changes, without a manager.
  ///
  /// ```swift
  /// let source = ObservableState.Source()
  /// let model = SplashModel(state: source.state)
  /// source.send(.complete)
  /// ```
  public struct Source: Sendable {
    private let observed = ObservedStates(StateValues())

    /// Creates a source with its first value.
    public init(_ value: InitializationState = .pending) { send(value) }

    /// The state, for observers.
    public var state: ObservableState { ObservableState(observed: observed, row: .composite) }

    /// Changes the state.
    public func send(_ value: InitializationState) { observed.publish(StateValues(composite: value)) }

    /// Ends the sequences of the state's values.
    public func finish() { observed.end() }
  }
}
