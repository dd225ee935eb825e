import Glibc
import TestSupport

/// A named pipe at which a command waits: it opens the pipe to read, and continues when the test opens it to write.
struct Fifo: Sendable {
  let path: String

  /// Creates it.
  ///
  /// The fifo's name ends in `.fifo`.
  init(_ name: String, in directory: TemporaryDirectory) {
    path = directory["\(name).fifo"]
    precondition(mkfifo(path, 0o600) == 0)
  }

  /// The path.
  init(madeAs name: String, in directory: TemporaryDirectory) { path = directory["\(name).fifo"] }

  /// A command that waits at the fifo, then succeeds.
  var reader: [String] { ["cat", path] }

  /// Waits for the reader, and releases it.
  func letGo() throws {
    for _ in 0..<Patience.looks {
      let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if descriptor >= 0 {
        close(descriptor)
        return
      }
      guard errno == ENXIO else { break }
      // It has no reader yet.
      usleep(1000)
    }
    throw Stuck()
  }
}
