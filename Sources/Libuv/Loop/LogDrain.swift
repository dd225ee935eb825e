public import Platform

/// Writes what waits in a log, on a loop. Only the loop's thread touches it, which is why it may be passed around.
public final class LogDrain: @unchecked Sendable {
  private let log: LogStream
  private let loop: Loop
  private let timer: Timer

  /// Watches from now on.
  public init(_ log: LogStream, on loop: Loop) {
    self.log = log
    self.loop = loop
    timer = Timer(loop: loop, name: "log")
    listen()
  }

  /// Ends that: what waits is left to ``LogStream/finish(within:)``.
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
