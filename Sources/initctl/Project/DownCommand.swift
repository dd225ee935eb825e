internal import CommandLineOptions
internal import InitClient

/// `down`: shuts the supervisor down, if one runs.
struct DownCommand: SupervisorCommand {
  static let help = CommandHelp(
    "down", "End the supervisor of this project, and wait until it has exited.",
    discussion: """
      As initctl shutdown, but it is a success if none runs.

      Examples:
        initctl down
        initctl down --reply-timeout 1m
      """)

  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try connection.visit(&options)
  }

  func run() throws {
    let connection = connection
    try CommandLoop.run { loop in
      let address = try SupervisorAddress(connection)
      do {
        let client = try await connection.connect(to: address.path, on: loop)
        return try await run(on: client)
      } catch let error as ClientError {
        guard error.isNobody else { throw error }
        Console.complain("no supervisor runs at \(address.path); initctl ls lists those that run here")
        return .success
      }
    }
  }

  func run(on client: Client) async throws -> ProgramStatus {
    try await ShutdownCommand.shutDown(client, within: connection.replyTimeout)
  }
}
