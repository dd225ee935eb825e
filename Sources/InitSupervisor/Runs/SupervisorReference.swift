internal import EventLoop
internal import InitLocks

/// The supervisor, for its providers, which are created before it, and for work that isn't done in the present turn.
///
/// The reference is weak, because the supervisor owns the runs.
final class SupervisorReference: Sendable {
  private struct Content { weak var supervisor: Supervisor? }

  /// Its loop.
  let loop: Loop
  private let content = Locked(Content())

  init(loop: Loop) { self.loop = loop }

  var supervisor: Supervisor? {
    get { content.withLock { $0.supervisor } }
    set { content.withLock { $0.supervisor = newValue } }
  }

  /// Returns the supervisor for a run.
  ///
  /// - Throws: an error that says that the run is cancelled, because the supervisor has ended.
  func get() throws(CancellationError) -> Supervisor {
    guard let supervisor else { throw CancellationError() }
    return supervisor
  }
}
