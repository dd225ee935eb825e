internal import CPlatform
internal import Glibc

/// What a program does first thing in `main`, before there are threads: it mends what its parent left it.
public enum ProcessStart {
  /// All of what follows, in order.
  ///
  /// - Parameter holdsSignals: whether signals that are held stay so, until ``unblockAllSignals()``: for who has handlers only later.
  /// - Throws: when a closed standard stream can't be opened.
  public static func prepare(holdsSignals: Bool = false) throws(SystemError) {
    try repairStandardDescriptors()
    if !holdsSignals { unblockAllSignals() }
    defaultChildSignal()
    ignoreBrokenPipes()
    ignoreFileSizeLimit()
    ignoreTerminalStops()
  }

  /// Opens `/dev/null` for each of descriptors 0 to 2 that is closed. Otherwise a socket would get its number, and
  /// somebody's error message would go to a client. Throws when there is no `/dev/null`.
  public static func repairStandardDescriptors() throws(SystemError) {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is the one that was found closed.
      guard open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY) == number else { throw .last("open", "/dev/null") }
    }
  }

  /// Lets every signal through, whatever mask was inherited.
  public static func unblockAllSignals() {
    platform_unblock_all_signals()
  }

  /// Gives SIGCHLD its default: under a parent's SIG_IGN, which exec keeps, the kernel would throw children's exit statuses away.
  public static func defaultChildSignal() {
    platform_default_signal(SIGCHLD)
  }

  /// Makes a write without a reader an error (EPIPE) instead of the process's end, in every thread.
  public static func ignoreBrokenPipes() {
    platform_ignore_signal(SIGPIPE)
  }

  /// Makes a write beyond `ulimit -f` an error (EFBIG) instead of the process's end.
  public static func ignoreFileSizeLimit() {
    platform_ignore_signal(SIGXFSZ)
  }

  /// The same where SIGXFSZ is watched: what our own writes cause isn't told.
  public static func ignoreOwnFileSizeLimit() {
    platform_heed_only_others(SIGXFSZ)
  }

  /// Lets a program in a terminal's background write to it, also where `stty tostop` would have it stopped for that.
  public static func ignoreTerminalStops() {
    platform_ignore_signal(SIGTTOU)
  }
}
