internal import Glibc
internal import Synchronization

/// Stops the process on SIGTSTP, which the kernel doesn't do if a program handles the signal.
enum JobControl {
  private static let stopDue = Atomic(false)

  /// SIGTSTP came, and no SIGCONT since. Set by signal handlers.
  static var isStopDue: Bool { stopDue.load(ordering: .sequentiallyConsistent) }

  /// A signal came; called by its handler, so only async-signal-safe operations are allowed.
  static func note(_ signal: Int32) {
    if signal == SIGTSTP { stopDue.store(true, ordering: .sequentiallyConsistent) }
    if signal == SIGCONT { stopDue.store(false, ordering: .sequentiallyConsistent) }
  }

  /// Initializes what `note` needs, because a handler must not be the first to use it.
  static func prepare() { _ = isStopDue }

  /// Stops the process, unless it got SIGCONT meanwhile.
  static func stopUnlessContinued() {
    if stopDue.exchange(false, ordering: .sequentiallyConsistent) { kill(getpid(), SIGSTOP) }
  }

  /// Whether our process group is orphaned: no process of it has a parent in our session but outside of the group. The kernel doesn't stop
  /// processes of such a group on SIGTSTP.
  ///
  /// It is determined from our own ancestors in the group.
  static var isOrphaned: Bool {
    let (group, session) = (getpgrp(), getsid(0))
    var parent = getppid()
    while parent > 0, getpgid(parent) == group {
      guard let next = parentOf(parent), next != parent else { return true }
      parent = next
    }
    return parent <= 0 || getsid(parent) != session
  }

  /// The parent of a process; nil if it can't be determined.
  private static func parentOf(_ pid: pid_t) -> pid_t? {
    let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(descriptor, &bytes, bytes.count)
    // PID (NAME) STATE PPID …, and the name may contain any character.
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = String(decoding: bytes[(end + 1)..<count], as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? pid_t(fields[1]) : nil
  }
}
