package import InitCore
package import InitWire
internal import Logging
package import Platform

/// The records of a supervisor: its log with the output of commands, the passes, and the state directory.
package final class Records {
  private let context: RecordsContext
  package let log: SupervisorLog
  package let passes: PassBook
  package let launches: LaunchJournal
  private let passJournal: PassJournal
  private let failures: FailureJournal
  package let ports: PortRecord

  package init(_ context: RecordsContext, _ declared: RecordedDeclarations, parent: TraceContext?) {
    self.context = context
    failures = FailureJournal(context)
    ports = PortRecord(context)
    log = SupervisorLog(context, failures: failures)
    launches = LaunchJournal(context, declared)
    passJournal = PassJournal(context)
    passes = PassBook(context, journal: passJournal, log: log, parent: parent)
    passes.polls = declared.polls
  }

  /// Takes what a new configuration declares.
  package func reload(_ declared: RecordedDeclarations, _ settings: RecordsSettings) {
    context.settings = settings
    launches.reload(declared)
    passes.polls = declared.polls
  }

  /// Reads the state directory, and passes the earlier completions to the machine.
  package func open() throws(JournalError) {
    try launches.recall(interrupted: passJournal.recall())
    try log.recall()
    try ports.recall()
  }

  /// Handles a notice of the machine, before clients are notified of it.
  package func handle(_ notice: Notice, at now: Instant) {
    log.record(notice, ending: passes.record(notice, at: now))
    switch notice {
    case .runEnded(let run): launches.remember(run)
    case .initializer(let snapshot): launches.handle(snapshot)
    case .state, .initializerRemoved, .pass, .passOpened, .passAbandoned: break
    }
  }

  /// Looks for damage in the file of passes, once the start is done.
  package func check() { passJournal.check() }

  /// The problems of the state directory.
  package var problems: RecordProblems {
    RecordProblems(
      damage: [launches.damage, passJournal.damage, failures.damage].compactMap(\.self), unwritten: launches.unwritten,
      unwrittenPasses: passJournal.unwritten, unwrittenFailures: failures.unwritten,
      unremembered: launches.unremembered)
  }

  /// Closes the files, because the next supervisor may need them.
  package func close() {
    launches.close()
    passes.close()
    passJournal.close()
    failures.close()
    ports.close()
  }
}
