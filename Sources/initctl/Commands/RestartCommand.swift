internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire
internal import InitWords

/// `restart`: stops processes and starts them again.
struct RestartCommand: WaitingCommand {
  static let help = CommandHelp(
    "restart", "Stop processes and start them again: all of them, or none.",
    discussion: """
      Each is stopped as by initctl stop, and started as by initctl start. With onRestart: rerun, what depends on it runs again. It doesn't \
      count as a crash. --wait waits until they are ready; a process without ready only has to be started.

      Examples:
        initctl restart web
        initctl restart web --wait --timeout 30s
      """)

  private var names: [String] = []
  var waiting = WaitingOptions()
  var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments("name", &names, .initializerOrProcessName, help: "The processes to restart.")
    try waiting.visit(&options)
    try connection.visit(&options)
  }

  func validate() throws(UsageError) { try names.validate(to: "restart") }

  func run(on client: Client) async throws -> ProgramStatus {
    let result: ProcessChanges
    do throws(ClientError) {
      result = try await client.send(RestartRequest(names: names), within: waiting.timeout)
    } catch {
      return try await UnknownName.complain(of: names, after: error, on: client)
    }
    try Console.write(result.lines(changed: "restarted", unchanged: "restarted"))
    return try await client.awaitProcesses(names, waiting)
  }
}
