internal import Synchronization

/// Tells a thread that reads files to give up.
final class Brake: Sendable {
  private let state = Atomic(false)

  /// Whether the thread has to give up.
  var isPulled: Bool { state.load(ordering: .relaxed) }

  /// Makes the thread give up.
  func pull() { state.store(true, ordering: .relaxed) }
}
