internal import ArgumentParser
internal import InitClient
internal import InitWire

/// `activate`: makes the app active.
struct ActivateCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Make the app active, and run its active initializers.",
    discussion: """
      Examples:
        initctl activate
        initctl activate --wait --timeout 30s
      """)

  @OptionGroup var waiting: WaitingOptions
  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  func run(on client: Client) async throws -> ExitCode {
    let activation = try await client.activate(within: waiting.timeout?.duration)
    if waiting.wait { return try await client.await(.pass(activation.pass), timeout: waiting.timeout) }
    // The request succeeded, but the pass has already failed: say so.
    if activation.active.state == .failed { Console.complain(WaitReport.sentence(.active, activation.active)) }
    return .success
  }
}
