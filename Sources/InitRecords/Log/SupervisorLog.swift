internal import AppInitializers
package import InitCore
internal import InitHistory
package import InitLog
package import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords
package import Logging
internal import Platform
internal import WireConversions

/// The supervisor's log of the machine's notices, one line each, and the output lines of commands.
package final class SupervisorLog {
  private let context: RecordsContext
  /// Called with each output line.
  package var onLine: (LogLine) -> Void = { _ in }
  private let failures: FailureJournal
  private var lines: LogBook
  /// The processes of commands.
  package private(set) var processes = StartedRuns()
  /// The skipped initializers that are already logged.
  private var skipped: Set<String> = []
  /// Whether the app waits for its first start: then the tree of `why` explains a failure, and other lines don't repeat the reason.
  private var isStarting: Bool
  /// Whether the app was ready in the last states.
  private var isReady = false
  /// The names whose last line was logged at once, although `outputInLog` isn't `all`.
  private var shownAtOnce: Set<String> = []

  init(_ context: RecordsContext, failures: FailureJournal) {
    self.context = context
    self.failures = failures
    lines = LogBook(lineLimit: context.settings.logLines, byteLimit: context.settings.logBytes)
    isStarting = context.settings.hasApp
    failures.output = { [unowned self] in lines.failure(of: $0, instance: context.instance) }
    failures.names = { [unowned self] in lines.failedNames.sorted() }
  }

  /// Reads which output of failed attempts earlier supervisors have kept.
  func recall() throws(JournalError) { try failures.recall { lines.recall($0) } }

  /// Returns whether output of a failed attempt of this name is kept.
  package func keepsFailure(of name: String) -> Bool { lines.failure(of: name, instance: context.instance) != nil }

  /// Ends the tail of a run of an initializer, or of a start of a kept process.
  private func end(_ name: String, run: Int, _ end: OutcomeName) {
    lines.end(name, run: run, end)
    record(name, end)
  }

  /// Forgets the output of a failed attempt of a name that was removed.
  package func forgetFailure(of name: String) {
    lines.forgetFailure(of: name)
    failures.record(name)
  }

  private func record(_ name: String, _ end: OutcomeName) {
    if end != .cancelled { failures.record(name) }
    for other in lines.removeShortened() where other != name { failures.recordLater(other) }
  }

  /// Ends the tail of an initializer's run, and logs its last lines if it has failed.
  private func endOutput(of run: RunRecord, _ end: OutcomeName) {
    let name = run.initializer
    let provider = context.manager.read { $0.provider(of: name) }
    guard provider == .process else {
      if end == .failed {
        showLast(
          of: name, run: run.run.rawValue,
          .event(.output, initializer: name, pass: run.pass, run: run.run, attempt: run.attempt))
      }
      // The output of a name that was removed while its run was stopping isn't kept.
      return self.end(name, run: run.run.rawValue, provider == nil ? .cancelled : end)
    }
    if let start = lines.endRun(ofProcess: name, end) {
      showLast(of: name, run: start, .event(.output, process: name, run: RunID(start)))
    }
    record(name, end)
  }

  /// Logs a notice of the machine.
  ///
  /// `ended` is the pass that ends with the notice, if one does.
  func record(_ notice: Notice, ending ended: History.PassRecord?) {
    switch notice {
    case .state(let record, let changed):
      if changed.contains(.lifecycle) {
        context.logger.info("the app is \(record.lifecycle)", metadata: .event(.lifecycle))
      }
      if record.isReady, !isReady {
        context.logger.info("ready", metadata: .event(.ready))
        isStarting = false
      }
      isReady = record.isReady
    case .initializer(let snapshot):
      logStart(snapshot)
      logSkip(snapshot)
    case .initializerRemoved(let snapshot):
      skipped.remove(snapshot.declaration.name)
      forgetFailure(of: snapshot.declaration.name)
    case .passOpened, .passAbandoned: break
    case .pass(let pass, let phase, let status):
      func members(_ name: Logger.Metadata.EventName, _ failure: Failure? = nil) -> Logger.Metadata {
        .event(
          name, initializer: failure?.initializer, pass: pass, phase: phase, duration: ended?.duration,
          cause: failure?.cause)
      }
      switch status {
      case .started: context.logger.info("\(phase) pass \(pass) started", metadata: members(.passStarted))
      case .complete: context.logger.info("\(phase) pass \(pass) is complete", metadata: members(.passComplete))
      case .cancelled: context.logger.info("\(phase) pass \(pass) was cancelled", metadata: members(.passCancelled))
      case .failed(let failure):
        let isOfLaunch = phase == .active && context.manager.read { $0.states.launch.state } == .failed(failure)
        let reason = isOfLaunch ? ": launch failed" : isStarting ? "" : ": \(failure)"
        context.logger.error("\(phase) pass \(pass) failed\(reason)", metadata: members(.passFailed, failure))
      }
    case .runEnded(let run): logEnd(run)
    }
  }

  /// Logs the start of a command.
  package func recordStart(of process: StartedRun) {
    processes.start(process)
    let attempt = process.start.attempt > 1 ? " (attempt \(process.start.attempt))" : ""
    context.logger.info(
      "\(process.title) started, pid \(process.pid)\(attempt)",
      metadata: process.members(process.isStop ? .stopStarted : .runStarted, pid: process.pid))
  }

  /// Logs that a command is killed.
  package func recordKill(of process: StartedRun) {
    processes.kill(process)
    context.logger.warning(
      .killing(process.title, pid: process.pid, after: context.settings.cancelGrace),
      metadata: process.members(.killed, pid: process.pid))
  }

  /// Logs the end of a stop command.
  ///
  /// `isLate` is true if the stop ended only after `stopTimeout`.
  package func recordStopEnd(_ stop: RunStart, _ failure: (any Error)?, isLate: Bool) {
    let pid = processes.end(stop.run)
    let name = "the stop command of \(stop.initializer)"
    let members = Logger.Metadata.event(
      .stopEnded, initializer: stop.initializer, run: stop.run, pid: pid, cause: failure as? Cause)
    guard isLate || failure != nil else {
      lines.end(stop.initializer, run: stop.run.rawValue, .cancelled)
      return context.logger.info("\(name) is complete", metadata: members)
    }
    let late = isLate ? "timed out after \(context.settings.stopTimeout.words) (stopTimeout)" : nil
    context.logger.warning("\(name) failed: \(late ?? failure.map { "\($0)" } ?? "")", metadata: members)
    showLast(
      of: stop.initializer, run: stop.run.rawValue, .event(.output, initializer: stop.initializer, run: stop.run))
    lines.end(stop.initializer, run: stop.run.rawValue, .cancelled)
  }

  /// Logs the start of a Swift object's run.
  ///
  /// `recordStart` logs the start of a command, and `Workers` the start of a worker's run.
  private func logStart(_ snapshot: InitializerSnapshot) {
    guard snapshot.provider == .inProcess, snapshot.status == .running, let run = snapshot.run, run.progress == nil
    else { return }
    context.logger.info(
      "\(snapshot.declaration.name) started",
      metadata: .event(
        .runStarted, initializer: snapshot.declaration.name, pass: run.pass, run: run.id, attempt: run.attempt))
  }

  /// Logs that the condition of an initializer didn't hold, or that it is fresh.
  private func logSkip(_ snapshot: InitializerSnapshot) {
    let name = snapshot.declaration.name
    switch snapshot.skipReason {
    case .condition, .fresh: break
    case .requested, .unselected, nil:
      if !skipped.isEmpty { skipped.remove(name) }
      return
    }
    // Logged once, even if something else about the initializer changes later.
    guard let reason = snapshot.skipReason, skipped.insert(name).inserted else { return }
    let shape = Initializer.Skip(reason, snapshot.declaration.freshness)
    context.logger.info(
      "\(name) skipped: \(shape.message)",
      metadata: .event(.skipped, initializer: name, reason: shape.reason.rawValue))
  }

  private func logEnd(_ run: RunRecord) {
    let pid = processes.end(run.run)
    func members(_ name: Logger.Metadata.EventName, cause: Cause? = nil) -> Logger.Metadata {
      .event(
        name, initializer: run.initializer, pass: run.pass, run: run.run, attempt: run.attempt, pid: pid,
        duration: run.duration, cause: cause, nextAttempt: run.nextAttempt.map { context.time + $0.inSeconds })
    }
    // This is only for lines that are logged.
    var after: String { "after \(Phrases.duration(run.duration.inSeconds))" }
    let grace = context.settings.cancelGrace
    var kill: String { processes.kill(of: run.initializer, run: run.run, grace: grace).map { "; \($0)" } ?? "" }
    switch run.outcome {
    case nil: break
    case .complete:
      endOutput(of: run, .complete)
      context.logger.info("\(run.initializer) is complete \(after)", metadata: members(.runComplete))
      if context.logger.logLevel <= .debug, let output = context.manager.use({ $0.output(ofEnding: run.run) }) {
        context.logger.debug("output of \(run.initializer): \(RunOutput.inLog(output))")
      }
    case .cancelled:
      endOutput(of: run, .cancelled)
      context.logger.info("\(run.initializer) cancelled: \(run.cancellation)\(kill)", metadata: members(.runCancelled))
    case .failed(let cause):
      let attempt = run.attempts > 1 ? ": attempt \(run.attempt) of \(run.attempts)" : ""
      let next = run.nextAttempt.map { "; next attempt in \(Phrases.duration($0.inSeconds))" } ?? ""
      context.logger.warning(
        "\(run.initializer)\(attempt) failed \(after): \(cause)\(kill)\(next)",
        metadata: members(.runFailed, cause: cause))
      endOutput(of: run, .failed)
    }
  }

  /// Keeps an output line of a command or a kept process.
  ///
  /// `isShown` is true if the line goes to the log, regardless of `outputInLog`. `members` is the log line's members.
  package func keep(
    _ line: [UInt8], of name: String, run: Int, attempt: Int? = nil, pass: PassID? = nil, _ stream: OutputName,
    isShown: Bool,
    _ members: @autoclosure () -> Logger.Metadata
  ) {
    let shape = LogLine(
      time: context.time, initializer: name, run: run, attempt: attempt, pass: pass?.rawValue, stream: stream,
      line: String(decoding: line, as: UTF8.self))
    if lines.append(shape) { failures.recordLater(name) }
    onLine(shape)
    if isShown { shownAtOnce.insert(name) } else if !shownAtOnce.isEmpty { shownAtOnce.remove(name) }
    guard isShown || context.settings.outputInLog == .all else { return }
    var logger = context.logger
    // `outputInLog: all` applies at every log level.
    logger.logLevel = min(logger.logLevel, .info)
    logger.info(shape.inLog, metadata: members().showing(shape))
  }

  /// Returns the last lines of output of a run, each cut to a length that is enough to explain its failure.
  func lastLines(of run: Pass.Run) -> [LogLine] {
    guard context.settings.outputInLog != .none else { return [] }
    return lines.last(Self.shownLines, of: run.initializer, run: run.run).map { line in
      var line = line
      line.line = line.line.cut()
      return line
    }
  }

  /// Returns the newest of these lines, as many as fit into a page.
  package func page(_ wanted: LogPage.Selection) -> LogPage { lines.page(wanted) }

  /// Ends the tail of a start of a kept process, and logs its last lines if it failed.
  package func recordEnd(ofProcess name: String, start: Int, _ end: OutcomeName) {
    if end == .failed { showLast(of: name, run: start, .event(.output, process: name, run: RunID(start))) }
    self.end(name, run: start, end)
  }

  private func showLast(of name: String, run: Int, _ members: Logger.Metadata) {
    guard context.settings.outputInLog == .failed, !shownAtOnce.contains(name) else { return }
    for line in lines.last(Self.shownLines, of: name, run: run) {
      context.logger.warning(line.inLog, metadata: members.showing(line))
    }
  }

  /// Logs the tree of `why` when initialization has failed: the app is not started, and the supervisor ends.
  ///
  /// `status` is the current Status. `usual` says how long phases and initializers usually take.
  func explainRefusal(_ failure: Failure, _ status: Status, usual: [Usual]) {
    let situation = Situation(status, usual: usual)
    let why = WhyTree.why(.ready, in: situation).map { shown($0, in: situation).afterEnd }
    context.logger.critical(
      "the app is not started:",
      metadata: .event(.appNotStarted, initializer: failure.initializer, cause: failure.cause))
    // The first line says that the app isn't ready.
    for line in (why?.lines(now: situation.now) ?? []).dropFirst() { context.logger.critical("\(line)") }
    guard let directory = context.settings.stateDirectory else { return }
    context.logger.info("this start is recorded: initctl why --state-directory \(directory)")
  }

  /// Adds the last lines of failed runs, unless they were already logged as warnings.
  private func shown(_ why: Explanation, in situation: Situation) -> Explanation {
    guard context.settings.outputInLog == .failed, context.logger.logLevel > .warning else { return why }
    return why.outputs(limit: Self.shownRuns).reduce(why) { why, told in
      guard !shownAtOnce.contains(told.name) else { return why }
      let last = lines.last(Self.shownLines, of: told.name, run: told.run)
      return why.showing(last.map(\.line), of: told.name, run: told.run)
    }
  }

  /// The maximum number of failed runs whose output is logged with the tree of `why`.
  private static let shownRuns = 3
  /// How many output lines are logged for a failure.
  private static let shownLines = 10
}

extension History.PassRecord {
  /// The time from the pass's opening to its end; 0 if it was never opened.
  fileprivate var duration: Duration? { ended.map { ended in opened.map { ended - $0 } ?? .zero } }
}

extension Failure {
  /// The cause of the failed run that ended the pass, if there is one.
  fileprivate var cause: Cause? {
    if case .initializerFailed(_, let cause) = all[0] { cause } else { nil }
  }
}

extension RunRecord {
  /// The reason for the cancellation.
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

extension LogLine {
  /// The line in the log, for people; the member `line` has all of it.
  fileprivate var inLog: Logger.Message { "\(initializer) | \(TerminalText.plain(line))" }
}
