/// Somebody who is told of a manager's states. No value is told twice running, none is skipped, and none comes out of order.
package struct StateObserver: Sendable {
  /// Takes the values; called with the present ones first. The board is locked meanwhile: it keeps them and does nothing else, and least of all
  /// resumes a task (see ``Outbox``).
  let take: @Sendable (StateValues) -> Void
  /// Called after the lock is gone, on the thread that published: passes on what it has kept.
  let flush: @Sendable () -> Void
  /// Nothing will come any more. Called once at most.
  let finish: @Sendable () -> Void

  /// An observer; see the properties.
  package init(
    take: @escaping @Sendable (StateValues) -> Void, flush: @escaping @Sendable () -> Void = {},
    finish: @escaping @Sendable () -> Void
  ) {
    self.take = take
    self.flush = flush
    self.finish = finish
  }
}

/// The three states of one moment (S1).
package struct StateValues: Sendable, Equatable {
  /// The launch phase's.
  package var launch: InitializationState
  /// The active phase's.
  package var active: InitializationState
  /// The composite of both.
  package var composite: InitializationState

  init(
    launch: InitializationState = .pending, active: InitializationState = .pending,
    composite: InitializationState = .pending
  ) {
    self.launch = launch
    self.active = active
    self.composite = composite
  }

  subscript(row: StateBoard.Row) -> InitializationState {
    switch row {
    case .launch: launch
    case .active: active
    case .composite: composite
    }
  }
}
