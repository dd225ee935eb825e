internal import AppInitializers
internal import InitBridge
internal import InitCore
internal import InitWire
internal import Logging

/// What the supervisor tells of the machine in its log, one line an event.
extension Supervisor {
  func log(_ notice: Notice) {
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
      if let output = manager.assumeIsolated({ $0.output(ofEnding: run.run) }) {
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
      logLastLines(of: run.initializer, run: run.run, since: clock.seconds(at: run.started), members(.output))
    }
  }

  /// A line that a command or a kept process wrote.
  func logOutput(_ line: LogLineShape, _ members: @autoclosure () -> Logger.Metadata) {
    guard configuration.outputInLog == .all else { return }
    var logger = logger
    // Who asks for all of it gets it, also from a log that tells errors alone.
    logger.logLevel = min(logger.logLevel, .info)
    logger.info(line.inLog, metadata: members())
  }

  /// What a run, or a start of a kept process, wrote last before it failed.
  func logLastLines(of name: String, run: Int, since start: Double, _ members: Logger.Metadata) {
    guard configuration.outputInLog == .failed else { return }
    let lines = logs.last(Self.shownLines, of: name, run: run, since: start)
    for line in lines { logger.warning(line.inLog, metadata: members) }
  }

  /// How many of the last lines are shown of what failed.
  static let shownLines = 10
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
  var inLog: Logger.Message { "\(initializer) | \(line)" }
}
