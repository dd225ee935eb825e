internal import ArgumentParser
internal import InitClient
internal import InitWire

/// `launch`: starts launch, or retries it after a failure.
struct LaunchCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "launch", abstract: "Run the launch initializers, or retry them after a failure.",
    discussion: """
      Examples:
        initctl launch
        initctl launch --wait --timeout 1m
      """)

  @OptionGroup var waiting: WaitingOptions
  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  func run(on client: Client) async throws -> ExitCode {
    let launch = try await client.launch(within: waiting.timeout?.duration)
    if waiting.wait { return try await client.await(.pass(launch.pass), timeout: waiting.timeout) }
    if launch.launch.state == .failed { Console.complain(WaitReport.sentence(.launch, launch.launch)) }
    return .success
  }
}
