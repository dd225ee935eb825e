/// An observer of a manager's states.
package typealias StateObserver = ValueObserver<StateValues>

/// An observer of an observed value.
///
/// The observer gets every value in order, and never the same value twice in a row.
package struct ValueObserver<Value: Sendable>: Sendable {
  /// Receives the values; called with the current one first.
  ///
  /// The observed value is locked during the call, so this must only store them, and must not resume a task (see ``Outbox``).
  let receive: @Sendable (Value) -> Void
  /// Called after the lock is released, on the publishing thread: passes on the stored values.
  let flush: @Sendable () -> Void
  /// No more values follow.
  ///
  /// Called at most once.
  let finish: @Sendable () -> Void

  /// Creates an observer; see the properties.
  package init(
    receive: @escaping @Sendable (Value) -> Void, flush: @escaping @Sendable () -> Void = {},
    finish: @escaping @Sendable () -> Void
  ) {
    self.receive = receive
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

  /// The state: one of three.
  enum Row: CaseIterable {
    case launch, active, composite
  }

  subscript(row: Row) -> InitializationState {
    switch row {
    case .launch: launch
    case .active: active
    case .composite: composite
    }
  }
}
