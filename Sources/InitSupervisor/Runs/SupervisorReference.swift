internal import EventLoop
internal import InitLocks

/// The supervisor, for its providers, which are created before it, and for work that isn't done in the present turn.
///
/// It is held weakly, because it has them.
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

  /// The supervisor for a run.
  ///
  /// - Throws: that the run is cancelled, because there is none any more.
  func get() throws(CancellationError) -> Supervisor {
    guard let supervisor else { throw CancellationError() }
    return supervisor
  }
}
