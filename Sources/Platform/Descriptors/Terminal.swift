internal import Glibc

/// The terminal that this process was started from, if it was.
public enum Terminal {
  /// Makes our own process group the terminal's foreground again, after a child that had it has ended: what is typed reaches us. Nothing where
  /// there is no terminal, or it is somebody else's by now.
  ///
  /// - Parameter group: whom it was given to.
  public static func takeBack(from group: Int32) {
    guard tcgetpgrp(STDIN_FILENO) == group, group != getpgrp() else { return }
    // From the background that would stop us, unless SIGTTOU is ignored.
    let before = signal(SIGTTOU, SIG_IGN)
    tcsetpgrp(STDIN_FILENO, getpgrp())
    signal(SIGTTOU, before)
  }
}
