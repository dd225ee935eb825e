/// The end of a manager (S24): whether it has come, and who waits for it.
struct ManagerEnd {
  /// Whether the shutdown has finished.
  private(set) var isFinished = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// An abandoned `stop()` that hasn't returned, followed by those that may not run concurrently with it.
  var overdueStop: Task<Void, Never>?

  /// Resumes the continuation when the shutdown has finished.
  mutating func add(_ continuation: CheckedContinuation<Void, Never>) {
    if isFinished { continuation.resume() } else { waiting.append(continuation) }
  }

  /// Marks the shutdown as finished, and resumes all waiting tasks.
  mutating func finish() {
    isFinished = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
