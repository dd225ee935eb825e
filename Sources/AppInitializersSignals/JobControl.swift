internal import Glibc
internal import Platform
internal import Synchronization

/// What a program that handles SIGTSTP does in the kernel's place.
enum JobControl {
  private static let stopDue = Atomic(false)

  /// SIGTSTP came, and no SIGCONT since. Written by handlers.
  static var isStopDue: Bool { stopDue.load(ordering: .sequentiallyConsistent) }

  /// A signal came; called by its handler, so it does next to nothing.
  static func note(_ signal: Int32) {
    if signal == SIGTSTP { stopDue.store(true, ordering: .sequentiallyConsistent) }
    if signal == SIGCONT { stopDue.store(false, ordering: .sequentiallyConsistent) }
  }

  /// Has made what `note` needs: a handler must not be the first to touch it.
  static func prepare() { _ = isStopDue }

  /// Stops the process, unless somebody has had it go on meanwhile.
  static func stopUnlessContinued() {
    if stopDue.exchange(false, ordering: .sequentiallyConsistent) { kill(getpid(), SIGSTOP) }
  }

  /// Whether our process group is orphaned: nobody outside of it, in our session, is parent to one of it. There the kernel
  /// doesn't let SIGTSTP stop anybody.
  ///
  /// It is looked at by way of our own ancestors in the group.
  static var isOrphaned: Bool {
    let (group, session) = (getpgrp(), getsid(0))
    var parent = getppid()
    while parent > 0, getpgid(parent) == group {
      guard let next = ProcessTable.parent(of: parent), next != parent else { return true }
      parent = next
    }
    return parent <= 0 || getsid(parent) != session
  }
}
