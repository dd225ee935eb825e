public import Platform

/// Writes the queue of a log on a loop.
///
/// The object may be passed to other threads, because only the loop's thread uses it.
public final class LogDrain: @unchecked Sendable {
  private let log: LogStream
  private let loop: Loop
  private let timer: Timer

  /// Starts to write queued lines.
  public init(_ log: LogStream, on loop: Loop) {
    self.log = log
    self.loop = loop
    timer = Timer(loop: loop, name: "log")
    listen()
  }

  /// Stops the drain; queued lines are left to ``LogStream/finish(within:)``.
  public func close() {
    log.onPending(nil)
    timer.close()
  }

  private func listen() { log.onPending { [weak self, loop] in loop.perform { [weak self] in self?.tryAgain() } } }

  private func tryAgain() {
    timer.start(after: LogStream.interval) { [weak self] in
      guard let self else { return }
      if log.isDrained { listen() } else { tryAgain() }
    }
  }
}
