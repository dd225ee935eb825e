internal import AppInitializers
internal import InitBridge
internal import InitCore
internal import InitWire
internal import Logging

/// What the supervisor tells of the machine in its log, one line an event, and the lines that commands wrote.
final class SupervisorLog: Part {
  let core: Core
  private let broadcast: Broadcast
  private var lines: LogBook

  init(_ core: Core, broadcast: Broadcast) {
    (self.core, self.broadcast) = (core, broadcast)
    let limits = core.configuration.limits
    lines = LogBook(lineLimit: limits.logLines, byteLimit: limits.logBytes)
  }

  /// The machine tells what has happened.
  func note(_ notice: Notice) {
    switch notice {
    case .state(let record, let changed):
      if changed.contains(.lifecycle) {
        logger.info("the app is \(record.lifecycle)", metadata: .event(.lifecycle))
      }
      if changed.contains(.composite) || changed.contains(.lifecycle), record.isReady {
        logger.info("ready", metadata: .event(.ready))
      }
    case .initializer(let snapshot): logStart(snapshot)
    case .initializerRemoved, .passAbandoned: break
    case .pass(let number, let phase, let status):
      switch status {
      case .started: logger.info("\(phase) pass \(number) started", metadata: .event(.passStarted, pass: number))
      case .complete: logger.info("\(phase) pass \(number) is complete", metadata: .event(.passComplete, pass: number))
      case .cancelled:
        logger.info("\(phase) pass \(number) was cancelled", metadata: .event(.passCancelled, pass: number))
      case .failed(let failure):
        logger.error(
          "\(phase) pass \(number) failed: \(failure)",
          metadata: .event(.passFailed, initializer: failure.initializer, pass: number))
      }
    case .runEnded(let run): logEnd(run)
    }
  }

  /// A run of a Swift object has started. Runs of commands and workers are told by those who start them, with what they know of it.
  private func logStart(_ snapshot: InitializerSnapshot) {
    guard snapshot.provider == .inProcess, snapshot.status == .running, let run = snapshot.run, run.progress == nil
    else { return }
    logger.info(
      "\(snapshot.declaration.name) started",
      metadata: .event(
        .runStarted, initializer: snapshot.declaration.name, pass: run.pass, run: run.number, attempt: run.attempt))
  }

  private func logEnd(_ run: RunRecord) {
    func members(_ name: Logger.Metadata.EventName) -> Logger.Metadata {
      .event(name, initializer: run.initializer, pass: run.pass, run: run.run, attempt: run.attempt)
    }
    switch run.outcome {
    case .complete:
      logger.info("\(run.initializer) is complete after \(run.duration.words)", metadata: members(.runComplete))
      if let output = core.manager.assumeIsolated({ $0.output(ofEnding: run.run) }) {
        logger.debug("\(run.initializer) handed over \(RunOutput.inLog(output))")
      }
    case .cancelled:
      logger.info("\(run.initializer) cancelled: \(run.cancellation)", metadata: members(.runCancelled))
    case .failed(let cause):
      let attempt = run.attempts > 1 ? ": attempt \(run.attempt) of \(run.attempts)" : ""
      let next = run.nextAttempt.map { "; next attempt in \($0.words)" } ?? ""
      logger.warning(
        "\(run.initializer)\(attempt) failed after \(run.duration.words): \(cause)\(next)",
        metadata: members(.runFailed))
      showLast(of: run.initializer, run: run.run, since: core.clock.seconds(at: run.started), members(.output))
    }
  }

  /// Keeps a line that a command or a kept process wrote, and tells it.
  ///
  /// - Parameter members: what it belongs to, for the log.
  func keep(
    _ line: [UInt8], of name: String, run: Int, _ stream: OutputName, _ members: @autoclosure () -> Logger.Metadata
  ) {
    let shape = LogLineShape(
      time: core.time, initializer: name, run: run, stream: stream, line: String(decoding: line, as: UTF8.self))
    lines.append(shape)
    broadcast.publish(.log(shape), topics: [.log])
    guard configuration.outputInLog == .all else { return }
    var logger = logger
    // Who asks for all of it gets it, also from a log that tells errors alone.
    logger.logLevel = min(logger.logLevel, .info)
    logger.info(shape.inLog, metadata: members())
  }

  /// The last lines, of one initializer or of all, oldest first.
  func last(_ limit: Int, of initializer: String?) -> [LogLineShape] { lines.last(limit, of: initializer) }

  /// Shows what a run, or a start of a kept process, wrote last before it failed.
  func showLast(of name: String, run: Int, since start: Double, _ members: Logger.Metadata) {
    guard configuration.outputInLog == .failed else { return }
    let lines = lines.last(Self.shownLines, of: name, run: run, since: start)
    for line in lines { logger.warning(line.inLog, metadata: members) }
  }

  /// Shows what an initializer wrote last, whose failure ends the supervisor, if the log tells no warnings and so hasn't shown it.
  func showLastWords(of initializer: String?) {
    guard configuration.outputInLog == .failed, logger.logLevel > .warning else { return }
    for line in lines.last(Self.shownLines, of: initializer) { logger.critical(line.inLog) }
  }

  /// How many of the last lines are shown of what failed.
  private static let shownLines = 10
}

extension RunRecord {
  /// Why it was cancelled.
  fileprivate var cancellation: String {
    switch cancelled {
    case .failed(.initializerFailed(let name, _)): "\(name) failed first"
    case .failed(let failure): "\(failure)"
    case .unregistered: "it was unregistered"
    case .shutdown: "the supervisor is shutting down"
    case .deactivated, nil: "the app was deactivated"
    }
  }
}

extension LogLineShape {
  /// As a line of the log.
  fileprivate var inLog: Logger.Message { "\(initializer) | \(line)" }
}
