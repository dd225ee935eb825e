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
    let activation = try await client.activate(within: waiting.timeout?.duration)
    if waiting.wait { return try await client.await(.pass(activation.pass), timeout: waiting.timeout) }
    // The event is taken, which is what was asked for; that nothing will come of it is worth a word.
    if activation.active.state == .failed { Console.complain(WaitReport.sentence(.active, activation.active)) }
    return .success
  }
}
