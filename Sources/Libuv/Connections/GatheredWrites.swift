/// What is written before a loop polls next: each stream's bytes become one system call.
struct GatheredWrites {
  /// The streams with bytes that wait for the poll, and some that had such bytes.
  var streams: [Stream] = []
  /// Called once.
  fileprivate var actions: [() -> Void] = []
}

extension Loop {
  /// Calls `action` before the loop polls next, for bytes that are gathered until then. It may only write to streams. On the loop's thread.
  public func performBeforePoll(_ action: @escaping () -> Void) {
    preconditionCurrent()
    gatheredWrites.actions.append(action)
  }

  /// Writes what was gathered. Timers and work come before this in a turn, and after it only the poll.
  func writeGathered() {
    if !gatheredWrites.actions.isEmpty {
      let actions = gatheredWrites.actions
      gatheredWrites.actions = []
      for action in actions { action() }
    }
    guard !gatheredWrites.streams.isEmpty else { return }
    for stream in gatheredWrites.streams { stream.writePending() }
    // The capacity of an ordinary turn is kept.
    gatheredWrites.streams.removeAll(keepingCapacity: gatheredWrites.streams.capacity <= 1024)
  }
}
