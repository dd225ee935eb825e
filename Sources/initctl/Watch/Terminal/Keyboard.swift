internal import Glibc
internal import Platform

/// The keys of the terminal on standard input.
enum Keyboard {
  // A thread that blocks: a loop would have to make the terminal non-blocking, even for the processes that share it.
  private static let thread = ThreadExecutor(name: "keyboard", maximumThreads: 1)

  /// Calls `deliver` on a separate thread with the bytes that arrive, until the process ends.
  static func read(_ deliver: @escaping @Sendable ([UInt8]) -> Void) {
    Task(executorPreference: thread) {
      var buffer = [UInt8](repeating: 0, count: 256)
      while true {
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 {
          deliver(Array(buffer[..<count]))
        } else if count == 0 || errno != EINTR && errno != EAGAIN {
          return
        } else if errno == EAGAIN {
          // Another process that shares the terminal made it non-blocking.
          var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
          _ = poll(&input, 1, -1)
        }
      }
    }
  }
}
