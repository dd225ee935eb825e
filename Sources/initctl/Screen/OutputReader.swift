internal import Glibc
internal import Platform

/// Whoever reads standard output, where that is a pipe or a socket.
enum OutputReader {
  // Blocks a thread of its own, for the life of the process.
  private static let thread = ThreadExecutor(name: "output", maximumThreads: 1)

  /// Ends the process, quietly and at once, when nobody reads standard output any more: for commands that otherwise
  /// would only find out with their next line, which may never come.
  static func endWhenGone() {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
    Task(executorPreference: thread) {
      // Without events asked for there are only errors and the end to wake it.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&output, 1, -1) <= 0 && errno == EINTR {}
      // Nothing of ours waits to be written, or to be cleaned up.
      _exit(EXIT_SUCCESS)
    }
  }
}
