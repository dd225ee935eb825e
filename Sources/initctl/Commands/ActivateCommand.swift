internal import CommandLineOptions
internal import InitClient
internal import InitWire
internal import InitWords

/// `activate`: makes the app active.
struct ActivateCommand: WaitingCommand {
  static let help = CommandHelp(
    "activate", "Make the app active, and run its active initializers.",
    discussion: """
      Examples:
        initctl activate
        initctl activate --wait --timeout 30s
      """)

  var waiting = WaitingOptions()
  var connection = ConnectionOptions()

  func run(on client: Client) async throws -> ProgramStatus {
    let activation = try await client.activate(within: waiting.timeout)
    return try await end(pass: activation.pass, of: .active, activation.active, on: client)
  }
}
