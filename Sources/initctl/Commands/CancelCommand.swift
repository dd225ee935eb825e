internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire

/// `cancel`: stops runs.
struct CancelCommand: SupervisorCommand {
  static let help = CommandHelp(
    "cancel", "Stop runs, as a timeout would: they fail, and aren't retried.",
    discussion: """
      All of the given initializers are cancelled, or none: it is refused if one of them doesn't run, or wait for its retry. Dependents \
      of a cancelled initializer don't run. The command ends once the runs have stopped.

      Examples:
        initctl cancel reindex
        initctl cancel reindex --timeout 10s
      """)

  private var names: [String] = []
  private var timeout: Duration?
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments("name", &names, .initializerName, help: "The initializers to cancel.")
    try options.option(
      "timeout", &timeout, .duration, help: "Don't wait longer than this until they have stopped. Default: no limit.")
    try connection.visit(&options)
  }

  func validate() throws(UsageError) { try names.validate(to: "cancel") }

  func run(on client: Client) async throws -> ProgramStatus {
    let cancelled: [String]
    do throws(ClientError) {
      cancelled = try await client.send(CancelRunRequest(initializers: names), within: timeout).cancelled
    } catch {
      return try await UnknownName.complain(of: names, after: error, on: client)
    }
    try Console.write(cancelled.map { "cancelled \(TerminalText.escape($0))\n" }.joined())
    return .success
  }
}
