internal import ArgumentParser
internal import InitClient

/// `shutdown`: shuts the supervisor down, and waits until it has exited.
struct ShutdownCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "shutdown", abstract: "End the supervisor, and wait until it has exited.",
    discussion: """
      Examples:
        initctl shutdown
        initctl --socket initd.sock shutdown
      """)

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  func run(on client: Client) async throws -> ExitCode {
    try await client.shutdown()
    _ = await client.untilClosed()
    return .success
  }
}
