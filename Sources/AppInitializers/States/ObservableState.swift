/// A state that can be read and followed from anywhere: a small handle, which may be copied.
public struct ObservableState: Sendable {
  /// How many changes an observer may be behind before it loses the oldest of them.
  public static let observerBacklog = 256

  let board: StateBoard
  let row: StateBoard.Row

  init(board: StateBoard, row: StateBoard.Row) {
    self.board = board
    self.row = row
  }

  /// A state that doesn't change, for tests and previews.
  public init(_ value: InitializationState) { self = Source(value).state }

  /// The present value. The states of a manager change together: one read later is never older (S1).
  public var current: InitializationState { board.value(of: row) }

  /// The present value, then every change, in order, never the same value twice running (S1).
  ///
  /// Each call is an observer of its own, with its own pace; it ends when its task is cancelled or the manager is gone. One that is
  /// more than ``observerBacklog`` changes behind loses the oldest of them.
  public var values: InitializationStates {
    let (stream, continuation) = AsyncStream.makeStream(
      of: InitializationState.self, bufferingPolicy: .bufferingNewest(Self.observerBacklog))
    let outbox = Outbox(continuation, backlog: Self.observerBacklog)
    let observation = observe(take: outbox.take, flush: outbox.deliver, finish: outbox.finish)
    continuation.onTermination = { _ in observation.cancel() }
    outbox.deliver()
    return InitializationStates(stream: stream)
  }

  /// Has a state's values taken, the present one first and then every change; see ``StateObserver``.
  package func observe(
    take: @escaping @Sendable (InitializationState) -> Void, flush: @escaping @Sendable () -> Void,
    finish: @escaping @Sendable () -> Void
  ) -> StateObservation {
    let last = Locked<InitializationState?>(nil)
    let observer = StateObserver(
      take: { [row] values in
        let value = values[row]
        let isNew = last.withLock { last in
          defer { last = value }
          return last != value
        }
        if isNew { take(value) }
      }, flush: flush, finish: finish)
    return StateObservation(board: board, number: board.add(observer))
  }
}

/// An observer's place among those who are told.
package struct StateObservation: Sendable {
  weak let board: StateBoard?
  let number: Int?

  /// Tells it nothing any more.
  package func cancel() {
    if let number { board?.remove(number) }
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
    private let board = StateBoard()

    /// A source with its first value.
    public init(_ value: InitializationState = .pending) { send(value) }

    /// The state, for whoever follows it.
    public var state: ObservableState { ObservableState(board: board, row: .composite) }

    /// Changes the state.
    public func send(_ value: InitializationState) { board.publish(StateValues(composite: value)) }

    /// Ends the sequences of the state's values.
    public func finish() { board.end() }
  }
}
