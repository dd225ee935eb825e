internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// `activate`: makes the app active.
struct ActivateCommand: SupervisorCommand {
  static let help = CommandHelp(
    "activate", "Make the app active, and run its active initializers.",
    discussion: """
      Examples:
        initctl activate
        initctl activate --wait --timeout 30s
      """)

  private var waiting = WaitingOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try waiting.visit(&options)
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let activation = try await client.activate(within: waiting.timeout)
    if waiting.wait { return try await client.await(.pass(activation.pass), timeout: waiting.timeout) }
    // The request succeeded, but the pass has already failed: say so.
    if activation.active.state == .failed { Console.complain(WaitReport.sentence(.active, activation.active)) }
    return .success
  }
}
