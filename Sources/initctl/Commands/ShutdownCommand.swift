internal import CommandLineOptions
internal import InitClient

/// `shutdown`: shuts the supervisor down, and waits until it has exited.
struct ShutdownCommand: SupervisorCommand {
  static let help = CommandHelp(
    "shutdown", "End the supervisor, and wait until it has exited.",
    discussion: """
      Examples:
        initctl shutdown
        initctl --socket initd.sock shutdown
      """)

  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    try await client.shutdown()
    await client.expectNews()
    if case .unresponsive(let path, let after)? = await client.untilClosed() {
      throw ClientError.unresponsive(path: path, after: after)
    }
    return .success
  }
}
