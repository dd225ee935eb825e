internal import InitLocks

/// The supervisor, for its providers, which are created before it, and for work that isn't done in the present turn.
///
/// It is held weakly, because it has them.
final class SupervisorReference: Sendable {
  private struct Content { weak var supervisor: Supervisor? }

  private let content = Locked(Content())

  var supervisor: Supervisor? {
    get { content.withLock { $0.supervisor } }
    set { content.withLock { $0.supervisor = newValue } }
  }
}
