internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire

/// `stop`: stops processes until somebody starts them.
struct StopCommand: SupervisorCommand {
  static let help = CommandHelp(
    "stop", "Stop processes until initctl start: all of them, or none.",
    discussion: """
      Each is stopped as at a shutdown: by its stopSignal, and after its stopTimeout by SIGKILL. The command ends once they have stopped. \
      They stay stopped, whatever their restart policy says, and over reloads. Launch is pending until a stopped process with ready runs \
      again; what depends on it stays complete.

      Examples:
        initctl stop web
        initctl stop web queue --timeout 10s
      """)

  private var names: [String] = []
  private var external = false
  private var timeout: Duration?
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments("name", &names, .initializerOrProcessName, help: "The processes to stop.")
    try options.flag(
      "external", &external,
      help: "You run them by hand from now on: what answers there counts as the process. They need ready.")
    try options.option(
      "timeout", &timeout, .duration, help: "Don't wait longer than this until they have stopped. Default: no limit.")
    try connection.visit(&options)
  }

  func validate() throws(UsageError) { try names.validate(to: "stop") }

  func run(on client: Client) async throws -> ProgramStatus {
    let result: ProcessChanges
    do throws(ClientError) {
      var request = StopRequest(names: names)
      request.external = external
      result = try await client.send(request, within: timeout)
    } catch {
      return try await UnknownName.complain(of: names, after: error, on: client)
    }
    try Console.write(result.lines(changed: "stopped", unchanged: "is stopped already"))
    if external, let name = names.first {
      Console.complain(
        "start it by hand, e.g. with initctl exec \(name) -- COMMAND; initctl start \(name) takes it back")
    }
    return .success
  }
}

extension ProcessChanges {
  /// A line for each process: its name, and what the request has done.
  func lines(changed: String, unchanged: String) -> String { lines(unchanged: unchanged) { _ in changed } }

  /// A line for each process: its name, and what the request has done to it.
  func lines(unchanged: String, changed: (String) -> String) -> String {
    processes.map { "\(TerminalText.escape($0.name)) \($0.changed ? changed($0.name) : unchanged)\n" }.joined()
  }
}
