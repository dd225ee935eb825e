/// A state that can be read and followed from anywhere: a small handle, which may be copied.
public struct ObservableState: Sendable {
  /// How many changes an observer may be behind before it loses the oldest of them.
  public static let observerBacklog = 256

  let board: StateBoard
  let row: StateBoard.Row

  /// The present value. The states of a manager change together: one read later is never older (S1).
  public var current: InitializationState { board.value(of: row) }

  /// The present value, then every change, in order, never the same value twice running (S1).
  ///
  /// Each call is an observer of its own, with its own pace; it ends when its task is cancelled or the manager is gone. One that is
  /// more than ``observerBacklog`` changes behind loses the oldest of them.
  public var values: InitializationStates {
    InitializationStates(stream: board.observe(row, backlog: Self.observerBacklog))
  }
}
