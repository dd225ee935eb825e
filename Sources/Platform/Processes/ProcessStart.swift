internal import CPlatform
internal import Glibc

/// Normalizes inherited process state.
///
/// To be called first in `main`, before there are threads.
public enum ProcessStart {
  /// Does all of the following, in order.
  ///
  /// - Parameter holdsSignals: whether blocked signals stay blocked until ``unblockAllSignals()``, for programs that install handlers
  ///   later.
  /// - Throws: when a closed standard stream can't be opened.
  public static func prepare(holdsSignals: Bool = false) throws(SystemError) {
    try repairStandardDescriptors()
    if !holdsSignals { unblockAllSignals() }
    defaultChildSignal()
    ignoreBrokenPipes()
    ignoreFileSizeLimit()
    ignoreTerminalStops()
  }

  /// Records the signals that don't have their default disposition, so the start of a child resets only those: by a call each the ignored
  /// ones, and all of them on a kernel without clone3.
  ///
  /// Use it in a program that changes dispositions only here and in the loop's signal sources; without it, all are reset.
  public static func recordDispositions() {
    platform_find_changed_signals()
  }

  /// Opens `/dev/null` for each of descriptors 0 to 2 that is closed.
  ///
  /// Otherwise a socket could get the number of a standard stream, and error messages would be sent to a client. Throws if there is no
  /// `/dev/null`.
  ///
  /// Standard output is opened for reading, so writing a result to a closed standard output is still an error.
  public static func repairStandardDescriptors() throws(SystemError) {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // The closed one is the lowest free number.
      let access = number == STDERR_FILENO ? O_WRONLY : O_RDONLY
      guard open("/dev/null", access) == number else { throw .last("open", "/dev/null") }
    }
  }

  /// Unblocks all signals but those of a `SignalQueue`, regardless of the inherited mask.
  public static func unblockAllSignals() {
    platform_unblock_all_signals()
  }

  /// Gives SIGCHLD its default: with an inherited SIG_IGN, the kernel would discard the exit statuses of children.
  public static func defaultChildSignal() {
    platform_default_signal(SIGCHLD)
  }

  /// Makes a write without a reader fail with EPIPE instead of ending the process, in every thread.
  public static func ignoreBrokenPipes() {
    platform_ignore_signal(SIGPIPE)
  }

  /// Makes a write beyond `ulimit -f` fail with EFBIG instead of ending the process.
  public static func ignoreFileSizeLimit() {
    platform_ignore_signal(SIGXFSZ)
  }

  /// Lets a program in the background of a terminal write to it, even with `stty tostop`.
  public static func ignoreTerminalStops() {
    platform_ignore_signal(SIGTTOU)
  }
}
