internal import AppInitializers
internal import InitCore
internal import InitServer
internal import Logging
internal import Platform

/// The records of a supervisor: its log with the output of commands, the passes, and the state directory.
final class Records: Component {
  let shared: Shared
  let log: SupervisorLog
  let passes: PassBook
  let launches: LaunchJournal
  private let passJournal: PassJournal
  private let failures: FailureJournal

  init(_ shared: Shared, broadcast: Broadcast) {
    self.shared = shared
    failures = FailureJournal(shared)
    log = SupervisorLog(shared, broadcast: broadcast, failures: failures)
    launches = LaunchJournal(shared)
    passJournal = PassJournal(shared)
    passes = PassBook(shared, journal: passJournal, log: log)
  }

  /// Reads the state directory, and passes the earlier completions to the machine.
  func open() throws(JournalError) {
    try launches.recall(interrupted: passJournal.recall())
    try log.recall()
  }

  /// Handles a notice of the machine, before clients are notified of it.
  func handle(_ notice: Notice, at now: Instant) {
    log.record(notice, ending: passes.record(notice, at: now))
    switch notice {
    case .runEnded(let run): launches.remember(run)
    case .initializer(let snapshot): launches.handle(snapshot)
    case .state, .initializerRemoved, .pass, .passOpened, .passAbandoned: break
    }
  }

  /// Looks for damage in the file of passes, once the start is done.
  func check() { passJournal.check() }

  /// The problems of the state directory.
  var warnings: Warnings {
    Warnings(
      damage: [launches.damage, passJournal.damage, failures.damage].compactMap(\.self), unwritten: launches.unwritten,
      unwrittenPasses: passJournal.unwritten, unwrittenFailures: failures.unwritten,
      unremembered: launches.unremembered)
  }

  /// Closes the files, because the next supervisor may need them.
  func close() {
    launches.close()
    passes.close()
    passJournal.close()
    failures.close()
  }
}
