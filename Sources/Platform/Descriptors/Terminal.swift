internal import Glibc

/// Functions for terminals: the controlling one of this process, and those of its streams.
public enum Terminal {
  /// Makes our process group the terminal's foreground group again, after a child that was in the foreground has ended, so input reaches
  /// us.
  ///
  /// Takes the terminal back from a child; no effect if there is no terminal, or another group is in the foreground by now.
  ///
  /// - Parameter group: the process group of the child.
  public static func reclaim(from group: Int32) {
    guard tcgetpgrp(STDIN_FILENO) == group, group != getpgrp() else { return }
    // In the background, this call would stop us unless SIGTTOU is ignored. Programs that start children always ignore it.
    let before = signal(SIGTTOU, SIG_IGN)
    tcsetpgrp(STDIN_FILENO, getpgrp())
    signal(SIGTTOU, before)
  }

  /// Whether the terminal understands no escape sequences, for example one in an editor.
  public static var isDumb: Bool { getenv("TERM").map { String(cString: $0) == "dumb" } ?? false }

  /// Returns whether colours may be written to a descriptor: to a terminal that isn't dumb, and without `NO_COLOR`.
  public static func allowsColor(_ descriptor: Int32) -> Bool {
    let noColor = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return isatty(descriptor) == 1 && !noColor && !isDumb
  }
}
