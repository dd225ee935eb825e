internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// `launch`: starts launch, or retries it after a failure.
struct LaunchCommand: SupervisorCommand {
  static let help = CommandHelp(
    "launch", "Run the launch initializers, or retry them after a failure.",
    discussion: """
      Examples:
        initctl launch
        initctl launch --wait --timeout 1m
      """)

  private var waiting = WaitingOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try waiting.visit(&options)
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let launch = try await client.launch(within: waiting.timeout)
    if waiting.wait { return try await client.await(.pass(launch.pass), timeout: waiting.timeout) }
    if launch.launch.state == .failed { Console.complain(WaitReport.sentence(.launch, launch.launch)) }
    return .success
  }
}
