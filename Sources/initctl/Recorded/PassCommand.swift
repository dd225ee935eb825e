internal import CommandLineOptions
internal import InitClient

/// A command that explains passes: those of a supervisor, or those in a state directory, whose supervisor may have ended.
protocol PassCommand: SupervisorCommand {
  /// The state directory, if one is given.
  var record: RecordOptions { get }

  /// Does the work, as in `run(on:)`.
  func explain(_ source: some PassSource) async throws -> ProgramStatus
}

extension PassCommand {
  func run() throws {
    guard let directory = record.stateDirectory else { return try runOnSupervisor() }
    try CommandLoop.run { _ in try await explain(try StateDirectory(directory, of: record.supervisor)) }
  }

  func run(on client: Client) async throws -> ProgramStatus { try await explain(client) }

  func validate() throws(UsageError) {
    if record.stateDirectory != nil, connection.socket != nil {
      throw UsageError("--state-directory and --socket can't be combined; give one of them")
    }
  }
}
