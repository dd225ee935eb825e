internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// `launch`: starts launch, or retries it after a failure.
struct LaunchCommand: WaitingCommand {
  static let help = CommandHelp(
    "launch", "Run the launch initializers, or retry them after a failure.",
    discussion: """
      Examples:
        initctl launch
        initctl launch --wait --timeout 1m
      """)

  var waiting = WaitingOptions()
  var connection = ConnectionOptions()

  func run(on client: Client) async throws -> ProgramStatus {
    let launch = try await client.launch(within: waiting.timeout)
    return try await end(pass: launch.pass, of: .launch, launch.launch, on: client)
  }
}
