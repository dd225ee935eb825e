internal import Glibc
internal import Platform
internal import Synchronization

/// Stops the process on SIGTSTP, which the kernel doesn't do if a program handles the signal.
enum JobControl {
  private static let stopDue = Atomic(false)

  /// SIGTSTP came, and no SIGCONT since.
  ///
  /// Set by signal handlers.
  static var isStopDue: Bool { stopDue.load(ordering: .sequentiallyConsistent) }

  /// Records a signal.
  ///
  /// The signal's handler calls this, so only async-signal-safe operations are allowed.
  static func record(_ signal: Int32) {
    if signal == SIGTSTP { stopDue.store(true, ordering: .sequentiallyConsistent) }
    if signal == SIGCONT { stopDue.store(false, ordering: .sequentiallyConsistent) }
  }

  /// Initializes the state that `record` needs, because a handler must not be the first to use it.
  static func prepare() { _ = isStopDue }

  /// Stops the process, unless it has received SIGCONT in the meantime.
  static func stopUnlessContinued() {
    if stopDue.exchange(false, ordering: .sequentiallyConsistent) { kill(getpid(), SIGSTOP) }
  }

  /// Whether our process group is orphaned: no process of it has a parent in our session but outside of the group.
  ///
  /// The kernel doesn't stop processes of such a group on SIGTSTP.
  ///
  /// The value is determined from our own ancestors in the group.
  static var isOrphaned: Bool {
    let group = getpgrp()
    let session = getsid(0)
    var parent = getppid()
    while parent > 0, getpgid(parent) == group {
      guard let next = ProcessTable.parent(of: parent), next != parent else { return true }
      parent = next
    }
    return parent <= 0 || getsid(parent) != session
  }
}
