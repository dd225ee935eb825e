internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire
internal import InitWords

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
    await ManifestChange.complain(on: client)
    let launch = try await client.send(LaunchRequest(), within: waiting.timeout)
    // A pass that has just been started completes later, unless it has nothing to run.
    if launch.launch.state == .complete { Console.complain("launch is complete: there is nothing to run") }
    return try await end(pass: launch.pass, of: .launch, launch.launch, on: client)
  }
}
