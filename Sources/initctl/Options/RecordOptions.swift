internal import CommandLineOptions

/// Options to explain passes that a supervisor has recorded in its state directory.
struct RecordOptions: OptionGroup {
  /// The directory; nil to ask a supervisor.
  private(set) var stateDirectory: String?
  /// The beginning of the instance of the supervisor; nil for the newest.
  private(set) var supervisor: String?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "state-directory", &stateDirectory, .directory(),
      help: "Read the records of a supervisor in this directory (initd --state-directory), even if it has ended.")
    try options.option(
      "supervisor", &supervisor, .text("id"),
      help:
        "With --state-directory, the beginning of the supervisor's instance, as in history --all. Default: the newest.")
    if supervisor != nil, stateDirectory == nil {
      throw UsageError("--supervisor has no effect without --state-directory; give both")
    }
  }
}
