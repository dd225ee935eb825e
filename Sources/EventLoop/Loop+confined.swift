extension Loop {
  /// Calls ``perform(_:)`` for callers on the loop's thread: the closure stays on that thread, so it needn't be `Sendable`.
  public func later(_ action: @escaping () -> Void) {
    preconditionCurrent()
    nonisolated(unsafe) let action = action
    perform { action() }
  }

  /// Calls ``performNextTurn(_:)`` for a closure that isn't `Sendable`.
  public func nextTurn(_ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    performNextTurn { action() }
  }

  /// Runs `action` at the end of this turn: after the queued work and the work that it queues, up to a limit, and before the next poll.
  ///
  /// Use it for work that other work needn't wait for, and for data that is gathered until then. On the loop's thread.
  public func performAtEndOfTurn(_ action: @escaping () -> Void) {
    preconditionCurrent()
    lastWork.append(action)
  }

  /// Runs the work for the end of the turn, then makes all streams write their gathered bytes: each stream's bytes become one system call.
  func finishTurn() {
    var next = 0
    while next < lastWork.count {
      lastWork[next]()
      next += 1
    }
    lastWork.removeAll(keepingCapacity: true)
    writeGathered()
  }

  /// Makes all streams write their gathered bytes, before work that may take long.
  public func writeGathered() {
    guard !writers.isEmpty else { return }
    for stream in writers { stream.writePending() }
    // The capacity of an ordinary turn is kept.
    writers.removeAll(keepingCapacity: writers.capacity <= 1024)
  }
}
