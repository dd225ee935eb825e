internal import Synchronization
internal import WebStatus

/// The followed state, shared by the task that follows the supervisor and the requests of HTTP clients.
final class Board: Sendable {
  private let followed = Mutex(Followed())

  /// Changes or reads the state.
  func with<Value: Sendable>(_ body: (inout Followed) -> Value) -> Value {
    followed.withLock { followed in body(&followed) }
  }
}
