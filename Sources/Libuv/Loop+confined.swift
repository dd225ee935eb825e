extension Loop {
  /// ``perform(_:)`` for callers on the loop's thread: the closure stays on that thread, so it needn't be `Sendable`.
  public func later(_ action: @escaping () -> Void) {
    preconditionCurrent()
    nonisolated(unsafe) let action = action
    perform { action() }
  }

  /// ``performNextTurn(_:)`` for a closure that isn't `Sendable`.
  public func nextTurn(_ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    performNextTurn { action() }
  }
}
