internal import Dispatch
internal import Glibc
internal import Synchronization

/// Writes lines without delaying the program: if the log isn't read, lines are lost, but no lease.
final class LogWriter: Sendable {
  static let standardError = LogWriter(to: STDERR_FILENO)

  /// The most lines that wait to be written.
  private static let limit = 1000

  private struct Backlog {
    var waiting = 0
    var lost = 0
  }

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "log")
  private let backlog = Mutex(Backlog())

  init(to descriptor: Int32) { self.descriptor = descriptor }

  /// Writes a line later; loses it if too many are waiting.
  ///
  /// `report` returns the line that says how many lines were lost before.
  func write(_ line: String, reportingLoss report: @escaping @Sendable (_ lost: Int) -> String) {
    let isTaken = backlog.withLock { backlog in
      guard backlog.waiting < Self.limit else {
        backlog.lost += 1
        return false
      }
      backlog.waiting += 1
      return true
    }
    guard isTaken else { return }
    queue.async { [self] in
      _ = Console.write(line, to: descriptor)
      let lost = backlog.withLock { backlog in
        backlog.waiting -= 1
        guard backlog.waiting == 0 else { return 0 }
        defer { backlog.lost = 0 }
        return backlog.lost
      }
      if lost > 0 { _ = Console.write(report(lost), to: descriptor) }
    }
  }

  /// Returns when all lines are written, or after a second.
  func flush() {
    let isWritten = DispatchSemaphore(value: 0)
    queue.async { isWritten.signal() }
    _ = isWritten.wait(timeout: .now() + 1)
  }
}
