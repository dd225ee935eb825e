/// What the records need of a supervisor's configuration.
package struct RecordsSettings {
  /// The state directory; nil for none.
  package var stateDirectory: String?
  /// Which output of commands and processes the log shows.
  package var outputInLog: OutputInLog
  /// How many output lines are kept, and how many bytes they may have in total.
  package var logLines: Int
  package var logBytes: Int
  /// Whether the app waits for its first start, which a failure prevents.
  package var hasApp: Bool
  /// How many initializers may run at once.
  package var concurrency: Int
  /// The time that a cancelled run has to stop before it is killed (S13).
  package var cancelGrace: Duration
  /// The time that a stop command has at shutdown before it is terminated (S24).
  package var stopTimeout: Duration

  /// Collects the settings.
  package init(
    stateDirectory: String?, outputInLog: OutputInLog, logLines: Int, logBytes: Int, hasApp: Bool, concurrency: Int,
    cancelGrace: Duration, stopTimeout: Duration
  ) {
    self.stateDirectory = stateDirectory
    self.outputInLog = outputInLog
    self.logLines = logLines
    self.logBytes = logBytes
    self.hasApp = hasApp
    self.concurrency = concurrency
    self.cancelGrace = cancelGrace
    self.stopTimeout = stopTimeout
  }
}

/// What the records need to know of the initializers that a configuration declares.
package struct RecordedDeclarations {
  /// The fingerprint of each one's work, if it is known: with another one it has changed.
  var works: [String: String]
  /// The names of those that run once for a release.
  var once: [String]
  /// Their dependencies.
  var dependencies: [String: [String]]
  /// The pauses of those that wait in a loop until something holds, in seconds.
  var polls: [String: Double]
  /// The launch initializers that wait in a loop, and count as complete after a restart.
  var pollingLaunches: [String]

  /// Collects what is declared.
  package init(
    works: [String: String], once: [String], dependencies: [String: [String]], polls: [String: Double],
    pollingLaunches: [String]
  ) {
    self.works = works
    self.once = once
    self.dependencies = dependencies
    self.polls = polls
    self.pollingLaunches = pollingLaunches
  }
}
