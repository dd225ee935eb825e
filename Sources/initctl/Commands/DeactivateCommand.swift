internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire

/// `deactivate`: makes the app inactive, and prints the cancelled runs.
struct DeactivateCommand: WaitingCommand {
  static let help = CommandHelp(
    "deactivate", "Make the app inactive, and print the names of the runs that this cancelled.",
    discussion: """
      Examples:
        initctl deactivate
        initctl deactivate --wait --timeout 10s
      """)

  var waiting = WaitingOptions()
  var connection = ConnectionOptions()

  func run(on client: Client) async throws -> ProgramStatus {
    let result = try await client.send(DeactivateRequest(wait: waiting.wait), within: waiting.timeout)
    try Console.write(result.cancelled.map { "cancelled \(TerminalText.escape($0))\n" }.joined())
    return .success
  }
}
