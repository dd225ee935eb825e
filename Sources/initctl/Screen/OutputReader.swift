internal import Glibc
internal import Platform

/// The reader of standard output, if that is a pipe or a socket.
enum OutputReader {
  // Blocks a separate thread until the process ends.
  private static let thread = ThreadExecutor(name: "output", maximumThreads: 1)

  /// Ends the process silently when the reader of standard output closes it.
  ///
  /// Otherwise a command would notice a closed pipe only when it prints its next line, which may never happen.
  static func endWhenGone() {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
    Task(executorPreference: thread) {
      // No events are requested, so only errors and the end of the stream wake it.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&output, 1, -1) <= 0 && errno == EINTR {}
      // No output remains to be written, and no file to be removed.
      _exit(EXIT_SUCCESS)
    }
  }
}
