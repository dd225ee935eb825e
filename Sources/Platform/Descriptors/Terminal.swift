internal import Glibc

/// The terminal that this process was started from, if it was.
public enum Terminal {
  /// Makes our process group the terminal's foreground group again, after a child that was in the foreground has ended, so that input
  /// reaches us. No effect if there is no terminal, or another group is in the foreground by now.
  ///
  /// - Parameter group: the child's group.
  public static func takeBack(from group: Int32) {
    guard tcgetpgrp(STDIN_FILENO) == group, group != getpgrp() else { return }
    // In the background, this call would stop us unless SIGTTOU is ignored.
    let before = signal(SIGTTOU, SIG_IGN)
    tcsetpgrp(STDIN_FILENO, getpgrp())
    signal(SIGTTOU, before)
  }
}
