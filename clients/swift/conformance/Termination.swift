import Dispatch
import Glibc

/// SIGTERM, noticed from the first line of the program on.
enum Termination {
  nonisolated(unsafe) private static let wasSignalled = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  /// Call this first.
  ///
  /// An early signal is kept.
  static func watch() {
    sem_init(wasSignalled, 0, 0)
    signal(SIGTERM) { _ in sem_post(Termination.wasSignalled) }
  }

  /// Calls back after the signal.
  static func then(_ action: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "signals").async {
      while sem_wait(wasSignalled) != 0 {}
      action()
    }
  }
}
