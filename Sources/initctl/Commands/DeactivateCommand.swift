internal import ArgumentParser
internal import InitClient
internal import InitWire

/// `deactivate`: makes the app inactive, and prints the cancelled runs.
struct DeactivateCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "deactivate", abstract: "Make the app inactive, and print the names of the runs that this cancelled.",
    discussion: """
      Examples:
        initctl deactivate
        initctl deactivate --wait --timeout 10s
      """)

  @OptionGroup var waiting: WaitingOptions
  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  func run(on client: Client) async throws -> ExitCode {
    let result = try await client.deactivate(wait: waiting.wait, within: waiting.timeout?.duration)
    try Console.write(result.cancelled.map { "cancelled \(TerminalText.escape($0))\n" }.joined())
    return .success
  }
}
